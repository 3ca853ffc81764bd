"""What a definition takes from around it: globals, options, parameters, files."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, loader
from tests.loaders.torch7.nets import graph_of, operators, request

RELU = "nn.Sequential():add(nn.ReLU())"


def width(folder, body: str, **changes) -> int:
    """The size of the only dense layer of a network that reads 1×4×9×9."""
    net = f"local net = nn.Sequential():add(nn.View(324))\n{body}"
    return graph_of(folder, net, **changes).layers[-1].outputs[0].shape[-1]


READS = {
    "a global": "return net:add(nn.Linear(324, nClasses))",
    "another spelling": "return net:add(nn.Linear(324, num_classes))",
    "a field of the options": "return net:add(nn.Linear(324, opt.nClasses))",
    "options that are asserted": "assert(opt and opt.n_classes)\n"
    "return net:add(nn.Linear(324, opt.n_classes))",
    "a parameter of the options": "return function(opt)\n"
    "  return net:add(nn.Linear(324, opt.nClasses)) end",
    "a parameter of its own name": "function createModel(nGPU, nClasses)\n"
    "  assert(nGPU == 1); return net:add(nn.Linear(324, nClasses)) end",
}


@pytest.mark.parametrize("body", READS.values(), ids=READS)
def test_a_usual_name_has_a_usual_value(tmp_path, body):
    assert width(tmp_path, body) == 1000


@pytest.mark.parametrize("body", READS.values(), ids=READS)
def test_an_argument_comes_before_it(tmp_path, body):
    args = dict.fromkeys(("nClasses", "num_classes", "n_classes"), 7)
    assert width(tmp_path, body, args=args) == 7


def test_what_was_assumed_is_told(tmp_path):
    body = "return nn.Sequential():add(nn.View(324)):add(nn.Linear(324, nClasses))"
    told = "assumed nClasses = 1000; give another with --args"
    assert graph_of(tmp_path, body).notes == (told,)
    assert graph_of(tmp_path, body, args={"nClasses": 5}).notes == ()


OWN = {
    "or": "return net:add(nn.Linear(324, opt and opt.num_classes or 12))",
    "not": "if not opt.nClasses then opt.nClasses = 12 end\n"
    "return net:add(nn.Linear(324, opt.nClasses))",
    "nil": "if nClasses == nil then nClasses = 12 end\nreturn net:add(nn.Linear(324, nClasses))",
    "if": "local wide = 12\nif opt.nClasses then wide = 1 end\n"
    "return net:add(nn.Linear(324, wide))",
    "a command line": "local cmd = torch.CmdLine(); cmd:option('-classes', 12, 'how many')\n"
    "local opt = cmd:parse(arg)\nreturn net:add(nn.Linear(324, opt.classes))",
}


@pytest.mark.parametrize("body", OWN.values(), ids=OWN)
def test_the_definition_s_own_value_comes_before_a_usual_one(tmp_path, body):
    assert width(tmp_path, body) == 12


def test_a_definition_that_makes_its_own_options_has_them(tmp_path):
    body = """if not opt then
      local cmd = torch.CmdLine(); cmd:option('-classes', 12, 'how many'); opt = cmd:parse(arg)
    end
    return net:add(nn.Linear(324, opt.classes))"""
    assert width(tmp_path, body) == 12
    assert width(tmp_path, body, args={"classes": 5}) == 5


def test_a_data_set_and_a_depth_that_go_together_are_found(tmp_path):
    body = f"""assert(opt.dataset == 'cifar10', 'no such data')
    assert((opt.depth - 2) % 9 == 0, 'depth is 9n+2')
    return {RELU}"""
    dataset, depth = graph_of(tmp_path, body).notes
    assert dataset.startswith("assumed dataset = 'cifar10';")
    assert depth.startswith("assumed depth = 110;")


def test_a_package_may_be_a_global_of_another_name(tmp_path):
    body = "return nnlib.ReLU()"
    for args, kind in (({}, "cudnn.ReLU"), ({"nnlib": "nn"}, "nn.ReLU")):
        (layer,) = graph_of(tmp_path, body, args=args).layers
        assert layer.origins[0].operator == kind


def test_a_depth_that_is_refused_is_followed_by_another_usual_one(tmp_path):
    body = f"assert((opt.depth - 4) % 6 == 0, 'depth is 6n+4')\nreturn {RELU}"
    assert graph_of(tmp_path, body).notes[0].startswith("assumed depth = 40;")


UNKNOWN = {
    "return nn.Sequential():add(nn.View(324)):add(nn.Linear(324, nHidden))": ("nHidden", 2),
    "local n = nHidden * 2": ("nHidden", 2),
    "local hidden = opt.hidden\nlocal twice = hidden * 2": ("opt.hidden", 3),
    "function createModel(opt, hidden)\n  return nn.Linear(324, hidden * 2)\nend": ("hidden", 3),
    "return nn.Sequential():add(makeBlock(3))": ("makeBlock", 2),
}


@pytest.mark.parametrize("body", UNKNOWN)
def test_a_name_that_nothing_gives_is_named_with_its_line_and_how_to_give_it(tmp_path, body):
    name, line = UNKNOWN[body]
    with pytest.raises(ModeldocsError) as caught:
        loader("torch7").load(request(tmp_path, body))
    assert f"nothing gives {name}" in caught.value.reason
    assert caught.value.line == line
    assert f"--args '{{\"{name.removeprefix('opt.')}\": …}}'" in str(caught.value.fix)


COUNTED = """local M = {}
function M.stack(count, wide)
  local net = nn.Sequential()
  for index = 1, count do net:add(nn.ReLU()) end
  return net
end
return M"""


def test_a_parameter_that_nothing_gives_is_named_by_the_line_that_reads_it(tmp_path):
    with pytest.raises(ModeldocsError, match="nothing gives count") as caught:
        loader("torch7").load(request(tmp_path, COUNTED, entry="stack"))
    assert caught.value.line == 5
    assert operators(graph_of(tmp_path, COUNTED, entry="stack", args={"count": 2})) == ["Relu"] * 2


def test_an_error_names_the_values_that_were_assumed(tmp_path):
    body = "return nn.Sequential():add(nn.View(324)):add(nn.Linear(nClasses, 3))"
    with pytest.raises(ModeldocsError, match="takes batch×1000") as caught:
        loader("torch7").load(request(tmp_path, body))
    assert "nClasses = 1000" in str(caught.value.fix)


TOOLS = """require 'cunn'; require 'cudnn'; require 'optnet'; require 'fbnn'; require 'xlua'
local nninit = require 'nninit'
local net = nn.Sequential():add(nn.SpatialConvolution(4, 4, 1, 1):init('weight', nninit.kaiming))
optnet.optimizeMemory(net, torch.randn(1, 4, 9, 9), {inplace = true})
cutorch.setDevice(1)
nngraph.annotateNodes()
return net"""


def test_packages_that_work_on_networks_are_let_pass(tmp_path):
    assert operators(graph_of(tmp_path, "require 'nngraph'\n" + TOOLS)) == ["Conv"]


def test_what_a_package_alone_could_compute_is_told(tmp_path):
    with pytest.raises(ModeldocsError, match=r"calls image\.load, which only Torch7 could run"):
        graph_of(tmp_path, "require 'image'; local x = image.load('cat.png')\nreturn nn.ReLU()")


def test_a_package_of_another_layout_has_classes_of_its_own(tmp_path):
    graph = graph_of(tmp_path, "require 'ccn2'\nreturn ccn2.SpatialMaxPooling(3, 2)")
    assert operators(graph) == ["torch7::SpatialMaxPooling"]
    assert "ccn2.SpatialMaxPooling of line 3 is not known" in graph.notes[0]


def test_a_kernel_of_an_image_is_a_tensor(tmp_path):
    body = """require 'image'
    local norm = nn.SpatialSubtractiveNormalization(4, image.gaussian1D(7))
    return nn.Sequential():add(norm):add(nn.SpatialConvolution(4, 2, 3, 3))"""
    graph = graph_of(tmp_path, body)
    assert operators(graph) == ["torch7::SpatialSubtractiveNormalization", "Conv"]
    assert graph.layers[1].outputs[0].shape == (1, 2, 7, 7)


def test_numbers_in_a_vector_are_read_back(tmp_path):
    body = """local widths = torch.Tensor{4, 6, 8} * 2
    assert(#widths == 3 and widths:sum() == 36 and torch.max(widths) == 16)
    return nn.SpatialConvolution(widths[1] / 2, widths[2], 1, 1)"""
    (layer,) = graph_of(tmp_path, body).layers
    assert layer.outputs[0].shape == (1, 12, 9, 9)


def test_a_vector_that_was_changed_by_what_only_torch_computes_has_no_numbers(tmp_path):
    body = "local w = torch.Tensor{4, 6}:random()\nreturn nn.SpatialConvolution(4, w[1], 1, 1)"
    with pytest.raises(ModeldocsError, match="as nOutputPlane"):
        graph_of(tmp_path, body)


FILES = {
    "paths.dofile 'block.lua'": "block.lua",
    "dofile('block.lua')": "block.lua",
    "require 'block'": "block.lua",
    "require('parts.block')": "parts/block.lua",
    "require 'parts/block'": "parts/block.lua",
    "paths.dofile('parts/block.lua')": "parts/block.lua",
    "require(({'bl', 'ock'})[1] .. 'ock')": "block.lua",
}


@pytest.mark.parametrize("call", FILES)
def test_a_file_beside_the_definition_is_run(tmp_path, call):
    file = tmp_path / FILES[call]
    file.parent.mkdir(exist_ok=True)
    file.write_text("return {relu = function() return nn.ReLU() end}")
    assert operators(graph_of(tmp_path, f"local block = {call}\nreturn block.relu()")) == ["Relu"]


def test_a_file_is_found_as_the_script_s_folder_sees_it(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "block.lua").write_text("return require 'models/inner'")
    (folder / "inner.lua").write_text("return nn.Tanh()")
    asked = request(folder, "return require 'models.block'")
    assert operators_of(asked) == ["Tanh"]


def operators_of(asked: LoadRequest) -> list[str]:
    return [node.op_type for node in loader("torch7").load(asked).graph]


def test_a_mistake_in_a_file_beside_it_names_that_file(tmp_path):
    (tmp_path / "block.lua").write_text("\nlocal a = nil\nreturn a.b")
    with pytest.raises(ModeldocsError) as caught:
        graph_of(tmp_path, "return require 'block'")
    assert caught.value.place == "block.lua:3"


def test_files_elsewhere_are_not_there(tmp_path):
    (tmp_path / "secret.lua").write_text("return nn.ReLU()")
    folder = tmp_path / "port"
    folder.mkdir()
    for name in ("../secret", "/../secret.lua", str(tmp_path / "secret.lua")):
        with pytest.raises(ModeldocsError, match="no file beside it"):
            graph_of(folder, f"return require '{name}'")


def test_files_that_run_each_other_without_end_are_stopped(tmp_path):
    # A loop in each of them: a call of `dofile` is few instructions, and takes long.
    again = "for i = 1, 1e5 do end\nreturn dofile 'again.lua'"
    (tmp_path / "again.lua").write_text(again)
    with pytest.raises(ModeldocsError, match="runs too long"):
        graph_of(tmp_path, again)


HELPERS = {
    "local M = {}\nfunction M.init(net) net:reset() end\n"
    "function M.other() end\nreturn M": "init, other",
    "function spread(net, count) return net:get(count) end": "spread",
    "function one(net) end\nfunction two(net) end": "one, two",
    "local Layer, parent = torch.class('nn.Layer', 'nn.Module')\n"
    "function Layer:updateOutput(x) return x end": "nn.Layer",
}


@pytest.mark.parametrize("body", HELPERS)
def test_a_file_of_helpers_is_no_network(tmp_path, body):
    with pytest.raises(ModeldocsError) as caught:
        loader("torch7").load(request(tmp_path, body))
    assert caught.value.reason == f"builds no network by itself, it defines {HELPERS[body]}"
    assert "load the file that uses it" in str(caught.value.fix)


ENTRIES = {
    "a function by a usual name": "function other() error() end\n"
    f"function build_model(opt) return {RELU} end",
    "one in what comes back": "return {init = function() end, "
    f"createNet = function() return {RELU} end}}",
    "the only function": f"function residual(options) return {RELU} end",
    "a method": f"local M = {{inner = 3}}\n"
    f"function M:build() assert(self.inner == 3); return {RELU} end\nreturn M",
    "the only network": f"local net = {RELU}\nlocal loss = nn.ClassNLLCriterion()",
}


@pytest.mark.parametrize("body", ENTRIES.values(), ids=ENTRIES)
def test_a_network_is_found(tmp_path, body):
    assert operators(graph_of(tmp_path, body)) == ["Relu"]


def test_a_second_network_that_comes_back_is_told(tmp_path):
    body = f"function createModel() return {RELU}, nn.Tanh(), nn.MSECriterion() end"
    assert graph_of(tmp_path, body).notes == ("gives nn.Tanh as well, which is not drawn",)


def test_the_size_of_images_that_a_network_names_is_its_input(tmp_path):
    body = """INPUTS = nil
    local net = nn.Sequential():add(nn.SpatialConvolution(3, 2, 3, 3))
    net.imageCrop = 32
    return net"""
    assert [i.type.shape for i in graph_of(tmp_path, body).inputs] == [(1, 3, 32, 32)]


SUGGESTED = {
    "nn.SpatialConvolution(5, 2, 3, 3)": "--input image=1,5,HEIGHT,WIDTH",
    "nn.Sequential():add(nn.ReLU()):add(nn.Linear(30, 2))": "--input image=1,30",
    "nn.Sequential():add(nn.View(30)):add(nn.Linear(30, 2))": "--input NAME=SHAPE",
}


@pytest.mark.parametrize("net", SUGGESTED)
def test_a_suggested_input_is_of_the_network_itself(tmp_path, net):
    with pytest.raises(ModeldocsError) as caught:
        graph_of(tmp_path, f"INPUTS = nil\nreturn {net}")
    assert SUGGESTED[net] in str(caught.value.fix)
