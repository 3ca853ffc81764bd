"""How definitions come, what they may do to their modules, and what is kept of it."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import loader, recognise
from tests.loaders.torch7.nets import graph_of, operators, request

RELU = "nn.Sequential():add(nn.ReLU())"

CONVENTIONS = {
    "a module that comes back": f"return {RELU}",
    "a function of parameters": f"return function(params) return {{model = {RELU}}} end",
    "a function that gives the network": f"return function() return {RELU} end",
    "createModel of a number": f"function createModel(nGPU) assert(nGPU > 0); return {RELU} end",
    "createModel of options": f"function createModel(opt) return opt.depth == 18 and {RELU} end",
    "createModel that comes back": f"local M = {{}}; function M.createModel() return {RELU} end\n"
    "return M",
    "a global module": f"model = {RELU}",
}


@pytest.mark.parametrize("body", CONVENTIONS.values(), ids=CONVENTIONS)
def test_a_definition_comes_in_any_of_these_ways(tmp_path, body):
    assert operators(graph_of(tmp_path, body, args={"depth": 18})) == ["Relu"]


def test_the_entry_of_a_request_names_another_function(tmp_path):
    body = f"function other() return {RELU} end\nfunction createModel() error('no') end"
    assert operators(graph_of(tmp_path, body, entry="other")) == ["Relu"]


def test_parameters_have_the_shape_of_the_input_and_the_number_of_devices(tmp_path):
    body = """return function(params)
      assert(params.ngpus == 1 and params.inputShape[1] == 3 and params.nested.list[2] == 'b')
      return nn.Identity()
    end"""
    args = {"nested": {"list": ["a", "b"]}}
    graph = graph_of(tmp_path, body, args=args, inputs={"image": (1, 3, 5, 5)})
    assert [(i.name, i.type.shape) for i in graph.inputs] == [("image", (1, 3, 5, 5))]


def test_only_lua_that_makes_modules_is_recognised(tmp_path):
    net, other = tmp_path / "net.lua", tmp_path / "other.lua"
    net.write_text("return nn.Linear(1, 2)")
    other.write_text("print('hello')")
    assert recognise(net) == "torch7"
    for path in (other, tmp_path, tmp_path / "absent.lua"):
        assert not loader("torch7").recognises(path)


def test_a_module_tells_its_class_its_fields_its_place_and_its_line(tmp_path):
    body = """local inner = nn.Sequential()
inner:add(cudnn.SpatialConvolution(4, 6, 3, 2, 2, 1, 1, 0, 2))
return nn.Sequential():add(inner)"""
    (layer,) = graph_of(tmp_path, body).layers
    (origin,) = layer.origins
    assert (origin.operator, origin.name) == ("cudnn.SpatialConvolution", "1.1")
    assert (origin.file, origin.line) == ("net.lua", 3)
    assert (origin.attributes["kW"], origin.attributes["kH"]) == (3, 2)
    assert layer.attributes["kernel_shape"] == [2, 3]
    assert layer.attributes["group"] == 2
    assert [(m.path, m.kind) for m in layer.modules] == [
        ("1", "nn.Sequential"),
        ("1.1", "cudnn.SpatialConvolution"),
    ]
    assert {p.name: p.shape for p in layer.parameters} == {
        "1.1.weight": (6, 2, 2, 3),
        "1.1.bias": (6,),
    }


def test_a_module_may_lose_its_bias_in_each_of_the_ways_that_there_are(tmp_path):
    body = """local net = nn.Sequential()
    net:add(nn.SpatialConvolution(4, 4, 1, 1):noBias())
    net:add(nn.SpatialConvolution(4, 4, 1, 1))
    net:get(2).bias = nil
    return net:add(nn.View(-1, 4 * 81)):add(nn.Linear(324, 2, false))"""
    for layer in graph_of(tmp_path, body).layers:
        assert [parameter.role for parameter in layer.parameters] == ["weight"]


def test_initialisation_is_let_pass(tmp_path):
    body = """local net = nn.Sequential():add(nn.SpatialConvolution(4, 8, 3, 3)):add(nn.ReLU())
    for _, m in ipairs(net:findModules('nn.SpatialConvolution')) do
      local n = m.kW * m.kH * m.nOutputPlane
      m.weight:normal(0, math.sqrt(2 / n)):mul(2)
      m.bias:zero():fill(0.1)
      assert(m.weight:size(1) == 8 and m.weight:nElement() == 288 and m.weight:dim() == 4)
    end
    net:apply(function(m) if m.setMode then m:setMode(1, 1, 1) end end)
    torch.manualSeed(1)
    net:get(1).gradInput = nil
    local weights = net:getParameters()
    return cudnn.convert(net:cuda():float(), cudnn)"""
    graph = graph_of(tmp_path, body)
    kinds = [layer.origins[0].operator for layer in graph.layers]
    assert kinds == ["cudnn.SpatialConvolution", "cudnn.ReLU"]


def test_a_container_can_be_changed_after_it_was_filled(tmp_path):
    body = """local net = nn.Sequential():add(nn.Tanh()):add(nn.ReLU()):add(nn.Sigmoid())
    net:remove(2)
    net:insert(nn.Abs(), 1)
    net:remove()
    assert(#net == 2 and net:size() == 2)
    return net"""
    assert operators(graph_of(tmp_path, body)) == ["Abs", "Tanh"]


def test_a_class_of_the_definition_itself_is_what_it_derives_from(tmp_path):
    body = """local Block, parent = torch.class('nn.Block', 'nn.Sequential')
    function Block:__init(planes)
      parent.__init(self)
      self:add(nn.SpatialConvolution(planes, planes, 1, 1)):add(nn.ReLU())
    end
    return nn.Sequential():add(nn.Block(4))"""
    graph = graph_of(tmp_path, body)
    assert operators(graph) == ["Conv", "Relu"]
    assert graph.layers[0].modules[0].kind == "nn.Block"


def test_a_class_that_computes_on_its_own_is_drawn_as_it_is(tmp_path):
    body = """local Odd = torch.class('nn.Odd', 'nn.ReLU')
    function Odd:updateOutput(input) return input end
    return nn.Sequential():add(nn.Odd()):add(nn.Fancy(3, 'wide')):add(nn.ReLU())"""
    graph = graph_of(tmp_path, body)
    assert operators(graph) == ["torch7::Odd", "torch7::Fancy", "Relu"]
    assert graph.layers[1].attributes["arguments"] == '[3, "wide"]'
    assert "nn.Fancy of line 4 is not known" in graph.notes[1]


def test_a_layer_behind_an_unknown_one_need_not_fit_it(tmp_path):
    body = "return nn.Sequential():add(nn.Fancy()):add(nn.SpatialConvolution(7, 2, 1, 1))"
    assert operators(graph_of(tmp_path, body)) == ["torch7::Fancy", "torch7::SpatialConvolution"]


def test_copies_that_share_have_the_parameters_once(tmp_path):
    body = """local first = nn.SpatialConvolution(4, 4, 1, 1)
    local again = first:clone('weight', 'bias', 'gradWeight', 'gradBias')
    return nn.Sequential():add(first):add(again):add(first):add(first:clone())"""
    graph = graph_of(tmp_path, body)
    names = [layer.parameters[0].name for layer in graph.layers]
    assert names == ["1.weight", "1.weight", "1.weight", "4.weight"]


def test_a_graph_of_nngraph_is_followed_from_its_outputs(tmp_path):
    body = """local input = nn.Identity()()
    local left = nn.ReLU()(input)
    local right = input - nn.Tanh() - nn.SpatialConvolution(4, 4, 1, 1)
    local sum = nn.CAddTable()({left, right}):annotate{name = 'sum'}
    local pieces = {nn.SplitTable(1, 3)(sum):split(4)}
    return nn.gModule({input}, {sum, pieces[2]})"""
    graph = graph_of(tmp_path, body)
    assert sorted(operators(graph)) == ["Add", "Conv", "Relu", "Split", "Tanh"]
    assert [o.source.type.shape for o in graph.outputs] == [(1, 4, 9, 9), (1, 9, 9)]
    assert "sum" in {layer.name for layer in graph.layers}


def test_modules_follow_nodes_and_tables_of_nodes_by_a_minus(tmp_path):
    body = """local first = - nn.Tanh()
    local both = {first, first - nn.ReLU()} - nn.JoinTable(2)
    return nn.gModule({first}, {both - nn.Sigmoid()})"""
    assert operators(graph_of(tmp_path, body)) == ["Tanh", "Relu", "Concat", "Sigmoid"]


def test_several_inputs_are_a_table(tmp_path):
    body = "return nn.Sequential():add(nn.JoinTable(1, 3)):add(nn.ReLU())"
    inputs = {"right": (1, 2, 3, 3), "left": (1, 1, 3, 3)}
    graph = graph_of(tmp_path, body, inputs=inputs)
    assert graph.layers[0].outputs[0].shape == (1, 3, 3, 3)
    assert [one.name for one in graph.inputs] == ["right", "left"]


def test_what_it_prints_is_shown(tmp_path, capsys):
    graph_of(tmp_path, "print('made', nn.ReLU(), 3)\nreturn nn.ReLU()")
    assert capsys.readouterr().out == "made\tnn.ReLU\t3\n"


MISTAKES = {
    "return 3": ("makes no network (number came back)", None),
    "return nn.Sequential(": ("near <eof>", None),
    "local a = nil\nreturn a.b": ("attempt to index", 3),
    "return nn.Sequential():add(3)": ("adds what is no module: number", 2),
    "return nn.Linear(3, 2)": ("reads 1×4×9×9, it takes batch×3", 2),
    "\n\nreturn nn.SpatialConvolution(3, 2, 1, 1)": ("reads 1×4×9×9, it takes batch×3×", 4),
    "return nn.SpatialConvolution(4, 2, 11, 11)": (
        "would have an output of 1×2×-1×-1: a size below 1",
        2,
    ),
    "return nn.SpatialConvolution(4, 'x', 1, 1)": ("has 'x' as nOutputPlane", 2),
    "return nn.SpatialConvolution(4)": ("has nothing as nOutputPlane", 2),
    "return nn.SpatialConvolution(4, 2^40, 1, 1)": ("as nOutputPlane", 2),
    "return nn.CAddTable()": ("reads one tensor, it takes a table", 2),
    "return nn.ConcatTable():add(nn.ReLU()):add(nn.ReLU()):add(nn.Concat(2))": (
        "has no modules",
        2,
    ),
    "return nn.Sequential():add(nn.SplitTable(2)):add(nn.ReLU())": ("reads a table of 4", 2),
    "return nn.View(7)": ("cannot view 1×4×9×9 as 7", 2),
    "return nn.Reshape(7)": ("cannot make 1×7 of 1×4×9×9", 2),
    "return nn.Concat(7):add(nn.ReLU())": ("names dimension 7 of a tensor with 4", 2),
    "return require 'paths2'": ("requires paths2", 2),
    "torch.load('net.t7')": ("reads a file with torch.load", 2),
    "local n = nn.ReLU():forward(torch.randn(2)):nElement()": ("only Torch7 could compute", 2),
    "local s = nn.Sequential()\nreturn s:add(s)": ("contains itself", 2),
    "INPUTS = nil\nreturn nn.ReLU()": ("no input shape is given", None),
    "INPUTS = {x = {0, 3}}\nreturn nn.ReLU()": ("cannot have the shape (0, 3)", None),
    "INPUTS = {x = {'a'}}\nreturn nn.ReLU()": ("INPUTS are no shapes by name", None),
    "function createModel(opt) return opt.sizes.first end": ("attempt to index field 'sizes'", 2),
    "error({code = 3})": ("", None),
}


@pytest.mark.parametrize("body", MISTAKES)
def test_a_mistake_is_told_with_its_line_and_a_fix(tmp_path, body):
    said, line = MISTAKES[body]
    with pytest.raises(ModeldocsError) as caught:
        loader("torch7").load(request(tmp_path, body))
    assert said in caught.value.reason
    assert caught.value.file == "net.lua"
    assert caught.value.fix
    assert line is None or caught.value.line == line


def test_a_file_that_is_not_there_is_told(tmp_path):
    asked = request(tmp_path, "")
    (tmp_path / "net.lua").unlink()
    with pytest.raises(ModeldocsError, match="cannot be read"):
        loader("torch7").load(asked)
