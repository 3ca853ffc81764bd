"""PyTorch ports: what torch knows of a module, and what the graph must still say of it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from modeldocs import loaders
from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module, TensorType

from ..ports import graph_of, in_worker, only, operators, write
from .nets import agrees, proof

torch = pytest.importorskip("torch")

MODELS = Path(__file__).parents[3] / "models"
CLASSES = {"lenet": "LeNet", "alexnet": "AlexNet", "resnet50": "ResNet50"}
HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"


def own_module(model):
    """The port's module and inputs, built without modeldocs."""
    spec = importlib.util.spec_from_file_location(f"own_{model}", MODELS / model / "pytorch.py")
    source = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(source)
    return getattr(source, CLASSES[model])().eval(), list(source.INPUTS.values())


def sequence(folder, layers, shape, **changes):
    """The graph of `nn.Sequential(layers)` fed with `shape`."""
    source = f"{HEAD}INPUTS = {{'x': {shape}}}\ndef model():\n    return nn.Sequential({layers})\n"
    return graph_of(write(folder, source), **changes)


def forward(folder, body, shape=(1, 3, 8, 8), made="pass"):
    """The graph of a module whose forward is `body` and whose constructor also does `made`."""
    source = (
        f"{HEAD}INPUTS = {{'x': {shape}}}\n"
        f"class Net(nn.Module):\n"
        f"    def __init__(self):\n        super().__init__()\n        {made}\n"
        f"    def forward(self, x):\n        {body}\n"
    )
    return graph_of(write(folder, source))


class TestOurCatalog:
    @pytest.mark.parametrize(
        ("model", "published"),
        [("lenet", 431_080), ("alexnet", 60_965_224), ("resnet50", 25_557_032)],
    )
    def test_parameters_are_as_published_and_as_torch_counts_them(self, model, published, loaded):
        module, _ = own_module(model)
        graph = loaded(model, "pytorch").graph
        assert graph.totals().parameters == published
        assert graph.totals().parameters == sum(p.numel() for p in module.parameters())
        statistics = [b for name, b in module.named_buffers() if "running" in name]
        assert graph.totals().buffers == sum(b.numel() for b in statistics)

    @pytest.mark.parametrize("model", list(CLASSES))
    def test_multiplications_are_half_the_operations_that_torch_counts(self, model, loaded):
        from torch.utils.flop_counter import FlopCounterMode

        module, (shape,) = own_module(model)
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            module(torch.zeros(shape))
        assert loaded(model, "pytorch").graph.totals().macs * 2 == counter.get_total_flops()

    @pytest.mark.parametrize("model", list(CLASSES))
    def test_every_parameter_of_the_module_is_there_by_name_and_shape(self, model, loaded):
        module, _ = own_module(model)
        found = loaded(model, "pytorch").graph.parameters()
        expected = {name: tuple(p.shape) for name, p in module.named_parameters()}
        assert {n: p.shape for n, p in found.items() if p.trainable} == expected

    @pytest.mark.parametrize("model", list(CLASSES))
    def test_every_layer_tells_its_line_and_module(self, model, loaded):
        lines = (MODELS / model / "pytorch.py").read_text().splitlines()
        for layer in loaded(model, "pytorch").graph.layers:
            (source,) = layer.origins
            assert source.file == "pytorch.py"
            kind = source.operator.removeprefix("torch.nn.")
            if source.operator.startswith("torch.nn."):
                assert f"nn.{kind}(" in lines[source.line - 1], layer.name
            else:
                assert "return self.relu(y + shortcut)" in lines[source.line - 1]

    def test_module_paths_name_each_step_with_its_class(self, loaded):
        graph = loaded("resnet50", "pytorch").graph
        layer = next(x for x in graph.layers if x.name == "layer3.2.conv2")
        assert layer.modules == (
            Module(path="layer3", kind="nn.Sequential"),
            Module(path="layer3.2", kind="Bottleneck"),
            Module(path="layer3.2.conv2", kind="nn.Conv2d"),
        )

    def test_resnet_keeps_its_structure(self, loaded):
        found = operators(loaded("resnet50", "pytorch").graph)
        kinds = ("Conv", "BatchNormalization", "Add", "MaxPool", "GlobalAveragePool", "Gemm")
        assert [found.count(kind) for kind in kinds] == [53, 53, 16, 1, 1, 1]

    def test_alexnet_keeps_groups_dropout_and_local_response_normalisation(self, loaded):
        graph = loaded("alexnet", "pytorch").graph
        groups = [x.attributes["group"] for x in graph.layers if x.operator == "Conv"]
        assert groups == [1, 2, 1, 2, 2]
        assert [x.attributes for x in graph.layers if x.operator == "LRN"] == [
            {"alpha": 0.0001, "beta": 0.75, "bias": 1.0, "size": 5}
        ] * 2
        assert [x.attributes for x in graph.layers if x.operator == "Dropout"] == [
            {"ratio": 0.5}
        ] * 2

    @pytest.mark.parametrize("model", list(CLASSES))
    def test_torch_is_named_by_version_and_the_port_among_what_was_read(self, model, loaded):
        result = loaded(model, "pytorch")
        assert result.software["torch"] == torch.__version__.split("+")[0]
        assert [Path(path).name for path in result.read] == ["pytorch.py"]
        assert result.printed == ""


class TestWhatExportersLose:
    def test_same_padding_stays_a_strategy_beside_explicit_pads(self, tmp_path):
        graph = sequence(tmp_path, "nn.Conv2d(3, 8, (3, 4), padding='same')", (1, 3, 9, 9))
        conv = only(graph, "Conv")
        assert conv.padding == "same"
        assert conv.attributes["pads"] == [1, 1, 1, 2]
        assert conv.outputs[0].shape == (1, 8, 9, 9)

    def test_valid_padding_stays_a_strategy(self, tmp_path):
        graph = sequence(tmp_path, "nn.Conv2d(3, 8, 3, padding='valid')", (1, 3, 9, 9))
        conv = only(graph, "Conv")
        assert (conv.padding, conv.attributes["pads"]) == ("valid", [0, 0, 0, 0])

    def test_same_padding_with_dilation_agrees_with_torch(self, tmp_path):
        graph = sequence(
            tmp_path, "nn.Conv2d(3, 8, (3, 2), padding='same', dilation=(2, 3))", (1, 3, 9, 7)
        )
        conv = only(graph, "Conv")
        assert conv.attributes["pads"] == [2, 1, 2, 2]
        assert conv.outputs[0].shape == (1, 8, 9, 7)

    @pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
    def test_padding_that_is_not_zeros_is_a_layer(self, tmp_path, mode):
        graph = sequence(tmp_path, f"nn.Conv2d(3, 8, 3, padding=1, padding_mode='{mode}')",
                         (1, 3, 9, 9))  # fmt: skip
        conv = only(graph, "Conv")
        assert conv.attributes["pads"] == [0, 0, 0, 0]
        assert graph.layers[-1].outputs[0].shape == (1, 8, 9, 9)
        assert conv.origins[0].attributes["padding_mode"] == mode
        assert len(graph.layers) > 1

    def test_dropout_stays_and_tells_its_ratio(self, tmp_path):
        dropout = only(sequence(tmp_path, "nn.ReLU(), nn.Dropout(0.3)", (2, 4)), "Dropout")
        assert dropout.attributes == {"ratio": 0.3}
        assert dropout.origins[0].attributes["p"] == 0.3

    def test_feature_dropout_stays(self, tmp_path):
        graph = sequence(tmp_path, "nn.ReLU(), nn.Dropout2d(0.3)", (2, 4, 5, 5))
        assert operators(graph) == ["Relu", "Dropout"]

    def test_adaptive_pooling_to_one_is_global_pooling(self, tmp_path):
        for size in ("1", "(1, 1)"):
            graph = sequence(tmp_path, f"nn.AdaptiveAvgPool2d({size})", (1, 3, 9, 9))
            pool = only(graph, "GlobalAveragePool")
            assert pool.outputs == (TensorType(shape=(1, 3, 1, 1), dtype="float32"),)

    @pytest.mark.parametrize("shape", [(1, 3, 9), (1, 3, 9, 9), (1, 3, 9, 9, 9)])
    def test_so_it_is_over_any_number_of_axes(self, tmp_path, shape):
        graph = sequence(tmp_path, f"nn.AdaptiveAvgPool{len(shape) - 2}d(1)", shape)
        pool = only(graph, "GlobalAveragePool")
        assert pool.outputs[0].shape == (1, 3) + (1,) * (len(shape) - 2)

    def test_adaptive_pooling_to_more_is_average_pooling(self, tmp_path):
        pool = only(sequence(tmp_path, "nn.AdaptiveAvgPool2d(3)", (1, 4, 9, 9)), "AveragePool")
        assert pool.attributes["kernel_shape"] == [3, 3]

    def test_ceil_mode_is_a_strategy_too(self, tmp_path):
        pool = only(sequence(tmp_path, "nn.MaxPool2d(3, 2, ceil_mode=True)", (1, 4, 8, 8)),
                    "MaxPool")  # fmt: skip
        assert (pool.padding, pool.attributes["ceil_mode"]) == ("ceil", 1)
        assert pool.outputs[0].shape == (1, 4, 4, 4)

    def test_average_pooling_tells_whether_it_counts_pads(self, tmp_path):
        counted = sequence(tmp_path, "nn.AvgPool2d(3, 2, padding=1)", (1, 4, 8, 8))
        left_out = sequence(
            tmp_path, "nn.AvgPool2d(3, 2, padding=1, count_include_pad=False)", (1, 4, 8, 8)
        )
        assert only(counted, "AveragePool").attributes["count_include_pad"] == 1
        assert only(left_out, "AveragePool").attributes["count_include_pad"] == 0

    def test_a_convolution_without_bias_has_no_bias(self, tmp_path):
        bare = only(sequence(tmp_path, "nn.Conv2d(3, 8, 3, bias=False)", (1, 3, 9, 9)), "Conv")
        full = only(sequence(tmp_path, "nn.Conv2d(3, 8, 3)", (1, 3, 9, 9)), "Conv")
        assert [p.role for p in bare.parameters] == ["weight"]
        assert [p.role for p in full.parameters] == ["weight", "bias"]

    @pytest.mark.parametrize("layer", ["nn.GELU()", "nn.SiLU()", "nn.LayerNorm(6, eps=1e-12)"])
    def test_idioms_are_one_layer(self, tmp_path, layer):
        graph = sequence(tmp_path, layer, (2, 6))
        expected = {"GELU": "Gelu", "SiLU": "Swish", "LayerNorm": "LayerNormalization"}
        assert operators(graph) == [expected[layer[3:].split("(")[0]]]

    def test_epsilon_is_the_sources(self, tmp_path):
        norm = only(sequence(tmp_path, "nn.BatchNorm2d(3, eps=1.001e-5)", (1, 3, 4, 4)),
                    "BatchNormalization")  # fmt: skip
        assert norm.attributes["epsilon"] == 1.001e-5
        assert {p.role: p.trainable for p in norm.parameters} == {
            "scale": True, "bias": True, "mean": False, "var": False,
        }  # fmt: skip


class TestShapes:
    def test_one_and_three_dimensional_convolutions(self, tmp_path):
        one = only(sequence(tmp_path, "nn.Conv1d(4, 8, 3, stride=2, padding=1)", (2, 4, 10)),
                   "Conv")  # fmt: skip
        assert one.attributes["pads"] == [1, 1]
        assert (one.outputs[0].shape, one.macs) == ((2, 8, 5), 2 * 8 * 5 * 4 * 3)
        three = only(
            sequence(tmp_path, "nn.Conv3d(2, 4, 3, padding=(0, 1, 2))", (1, 2, 5, 5, 5)), "Conv"
        )
        assert three.attributes["pads"] == [0, 1, 2, 0, 1, 2]
        assert three.outputs[0].shape == (1, 4, 3, 5, 7)

    def test_a_convolution_without_batch(self, tmp_path):
        graph = sequence(tmp_path, "nn.Conv2d(3, 8, 3)", (3, 9, 9))
        assert only(graph, "Conv").outputs[0].shape == (1, 8, 7, 7)
        assert graph.outputs[0].source.type.shape == (8, 7, 7)

    def test_a_computed_weight_counts_like_a_stored_one(self, tmp_path):
        graph = sequence(
            tmp_path, "nn.utils.parametrizations.weight_norm(nn.Conv2d(3, 4, 3))", (2, 3, 8, 8)
        )
        assert only(graph, "Conv").macs == 2 * 4 * 6 * 6 * 3 * 3 * 3

    def test_transposed_convolution(self, tmp_path):
        from torch.utils.flop_counter import FlopCounterMode

        graph = sequence(tmp_path, "nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2)", (1, 4, 5, 5))
        with FlopCounterMode(display=False) as counter:
            torch.nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2)(torch.zeros(1, 4, 5, 5))
        assert only(graph, "ConvTranspose").macs * 2 == counter.get_total_flops()

    def test_a_weight_used_twice_counts_once(self, tmp_path):
        graph = forward(
            tmp_path, "return self.dense(self.dense(x))", (2, 6), "self.dense = nn.Linear(6, 6)"
        )
        assert operators(graph) == ["Gemm", "Gemm"]
        assert graph.totals().parameters == 42
        assert graph.totals().macs == 2 * 2 * 36

    def test_tied_weights_count_once(self, tmp_path):
        graph = forward(
            tmp_path, "return self.b(self.a(x))", (2, 6),
            "self.a = nn.Linear(6, 6, bias=False); self.b = nn.Linear(6, 6, bias=False); "
            "self.b.weight = self.a.weight",
        )  # fmt: skip
        assert graph.totals().parameters == 36

    def test_several_inputs_go_by_the_names_of_the_arguments_in_the_order_declared(self, tmp_path):
        source = f"""{HEAD}
INPUTS = {{'right': (2, 5), 'left': (2, 3)}}
class Net(nn.Module):
    def forward(self, left, right):
        return torch.cat([left, right], 1)
"""
        graph = graph_of(write(tmp_path, source))
        assert [(i.name, i.type.shape) for i in graph.inputs] == [
            ("right", (2, 5)), ("left", (2, 3)),
        ]  # fmt: skip
        assert [o.value for o in graph.layers[0].inputs] == ["input-2", "input-1"]
        assert graph.layers[0].outputs[0].shape == (2, 8)

    def test_several_outputs(self, tmp_path):
        graph = forward(tmp_path, "a, b = x.split(4, 1); return {'p': a.relu(), 'q': b.tanh()}",
                        (2, 8))  # fmt: skip
        assert [output.source.value for output in graph.outputs] == ["relu-1", "tanh-1"]

    def test_integer_inputs_through_dtypes(self, tmp_path):
        graph = sequence(
            tmp_path, "nn.Embedding(100, 16), nn.Linear(16, 4)", (2, 7), dtypes={"x": "int64"}
        )
        assert graph.inputs[0].type == TensorType(shape=(2, 7), dtype="int64")
        assert operators(graph) == ["Gather", "Gemm"]
        assert graph.totals().parameters == 100 * 16 + 16 * 4 + 4

    def test_shapes_of_the_request_win_over_the_files_own(self, tmp_path):
        graph = sequence(tmp_path, "nn.ReLU()", (1, 2), inputs={"": (5, 2)})
        assert graph.inputs[0].type.shape == (5, 2)


class TestFunctional:
    def test_a_function_call_has_the_line_of_forward(self, tmp_path):
        graph = forward(tmp_path, "x = F.relu(x)\n        return F.max_pool2d(x, 2)")
        assert [(x.operator, x.origins[0].file, x.origins[0].line) for x in graph.layers] == [
            ("Relu", "pytorch.py", 10), ("MaxPool", "pytorch.py", 11),
        ]  # fmt: skip

    def test_it_belongs_to_the_module_that_calls_it(self, tmp_path):
        source = f"""{HEAD}
INPUTS = {{'x': (1, 4)}}
class Block(nn.Module):
    def forward(self, x):
        return F.relu(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
    def forward(self, x):
        return self.block(x)
"""
        (relu,) = graph_of(write(tmp_path, source)).layers
        assert relu.module == "block"
        assert (relu.origins[0].file, relu.origins[0].line) == ("pytorch.py", 8)

    def test_functional_dropout_of_a_module_in_evaluation_stays(self, tmp_path):
        graph = forward(tmp_path, "return F.dropout(x.relu(), 0.2, self.training)", (1, 4))
        assert operators(graph) == ["Relu", "Dropout"]


class TestEntryPoints:
    def test_arguments_reach_the_callable(self, tmp_path):
        source = f"""{HEAD}
INPUTS = {{'x': (1, 4)}}
def model(width, bias=True):
    return nn.Linear(4, width, bias=bias)
"""
        graph = graph_of(write(tmp_path, source), args={"width": 9, "bias": False})
        assert graph.totals().parameters == 36

    def test_a_wrong_argument_is_told(self, tmp_path):
        source = f"{HEAD}INPUTS = {{'x': (1, 4)}}\ndef model(width): return nn.Linear(4, 2)"
        with pytest.raises(ModeldocsError, match="unexpected keyword argument 'with'"):
            graph_of(write(tmp_path, source), args={"with": 9})

    def test_what_is_missing_is_told_with_where_to_give_it(self, tmp_path):
        source = f"{HEAD}INPUTS = {{'x': (1, 4)}}\ndef model(width): return nn.Linear(4, 2)"
        with pytest.raises(ModeldocsError, match="missing 1 required positional") as raised:
            graph_of(write(tmp_path, source))
        assert raised.value.fix.startswith("give its arguments as `args:` in model.yml")

    def test_lists_are_tuples_where_they_must_be(self, tmp_path):
        source = f"""{HEAD}
INPUTS = {{'x': (1, 4)}}
def model(widths):
    assert isinstance(widths, tuple)
    return nn.Linear(*widths)
"""
        assert graph_of(write(tmp_path, source), args={"widths": [4, 2]}).totals().parameters == 10

    def test_the_entry_may_be_a_module_that_is_already_built(self, tmp_path):
        source = f"{HEAD}INPUTS = {{'x': (1, 4)}}\nready = nn.Linear(4, 2)\n"
        assert graph_of(write(tmp_path, source), entry="ready").totals().parameters == 10

    def test_an_entry_that_is_not_there_is_told_with_those_that_are(self, tmp_path):
        source = f"{HEAD}def small(): return nn.ReLU()\ndef large(): return nn.ReLU()\n"
        with pytest.raises(ModeldocsError) as raised:
            graph_of(write(tmp_path, source), entry="medium")
        assert raised.value.reason == "has no 'medium'"
        assert "small, large" in raised.value.fix

    def test_two_candidates_ask_for_a_choice(self, tmp_path):
        source = f"{HEAD}def small(): return nn.ReLU()\ndef large(): return nn.ReLU()\n"
        with pytest.raises(ModeldocsError, match=r"cannot tell .* small, large\)"):
            graph_of(write(tmp_path, source))

    def test_without_a_shape_the_fix_says_where_to_give_one(self, tmp_path):
        for module, told in (
            ("nn.ReLU()", "--input input=SHAPE"),
            ("nn.Sequential(nn.Conv2d(5, 8, 3), nn.ReLU())", "--input input=1,5,HEIGHT,WIDTH"),
            ("nn.Embedding(9, 4)", "--input input=1,LENGTH:int64"),
            ("nn.Bilinear(3, 4, 5)", "--input input1=SHAPE --input input2=SHAPE"),
        ):
            source = f"{HEAD}def model():\n    return {module}\n"
            with pytest.raises(ModeldocsError, match="no input shape is given") as raised:
                graph_of(write(tmp_path, source))
            assert raised.value.fix.endswith(f": {told}")
            assert "INPUTS" in raised.value.fix

    @pytest.mark.parametrize("declared", ["{'x': (1, 'a')}", "{'x': 3}", "{'x': (1, -4)}", "[1]"])
    def test_a_shape_that_is_none_is_told(self, tmp_path, declared):
        source = f"{HEAD}INPUTS = {declared}\ndef model():\n    return nn.ReLU()\n"
        with pytest.raises(ModeldocsError):
            graph_of(write(tmp_path, source))

    def test_an_unknown_dtype_is_told(self, tmp_path):
        with pytest.raises(ModeldocsError, match="unknown dtype 'float23'"):
            sequence(tmp_path, "nn.ReLU()", (1, 4), dtypes={"x": "float23"})

    def test_what_torch_cannot_trace_is_told_with_the_line(self, tmp_path):
        with pytest.raises(ModeldocsError) as raised:
            forward(tmp_path, "return x if x.sum() > 0 else -x", (1, 4))
        assert (raised.value.file, raised.value.line) == ("pytorch.py", 10)
        assert raised.value.reason.startswith("cannot be traced: the data decide")
        assert "\n" not in raised.value.reason

    def test_a_callable_of_an_importable_module(self, tmp_path, monkeypatch):
        package = tmp_path / "zoo"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "nets.py").write_text(
            f"{HEAD}INPUTS = {{'x': (1, 4)}}\ndef small():\n    return nn.Linear(4, 2)\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        request = loaders.LoadRequest(
            root=str(tmp_path), module="zoo.nets", entry="small", name="small"
        )
        result = in_worker(request)
        assert result.failure is None
        (layer,) = result.graph.layers
        assert (layer.origins[0].file, layer.origins[0].line) == ("zoo/nets.py", 6)
        assert [Path(path).name for path in result.read] == ["__init__.py", "nets.py"]

    def test_torchs_own_files_are_never_the_ports(self, tmp_path):
        """The current folder may hold the environment: its packages are still not the port."""
        source = f"{HEAD}INPUTS = {{'x': (1, 4)}}\ndef model():\n    return nn.Linear(4, 2)\n"
        request = write(tmp_path, source)
        wide = loaders.LoadRequest(root="/", path=request.path, name="net")
        for layer in graph_of(wide, inputs={"x": (1, 4)}).layers:
            assert "site-packages" not in str(layer.origins[0].file)
        assert sys.prefix


class TestRecurrent:
    SOURCE = """
        from torch import nn
        INPUTS = {"x": (1, 20, 8)}
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.LSTM(8, 32, num_layers=2, batch_first=True, bidirectional=True)
                self.out = nn.Linear(64, 3)
            def forward(self, x):
                return self.out(self.rnn(x)[0])
        """

    def test_each_layer_of_an_lstm_is_one_row_with_its_parameters(self, tmp_path):
        graph = graph_of(write(tmp_path, self.SOURCE))
        assert operators(graph) == ["LSTM", "LSTM", "Gemm"]
        first, second = graph.layers[:2]
        assert first.parameter_count == 2 * (4 * 32 * 8 + 4 * 32 * 32 + 2 * 4 * 32)
        assert second.parameter_count == 2 * (4 * 32 * 64 + 4 * 32 * 32 + 2 * 4 * 32)
        assert {p.name for p in first.parameters} >= {"rnn.weight_ih_l0", "rnn.bias_hh_l0_reverse"}

    def test_its_multiplications_are_those_of_its_gates(self, tmp_path):
        graph = graph_of(write(tmp_path, self.SOURCE))
        states = 20 * 2 * 32
        assert [layer.macs for layer in graph.layers] == [
            states * 4 * (8 + 32), states * 4 * (64 + 32), 20 * 64 * 3,
        ]  # fmt: skip


class TestBuffers:
    MADE = (
        "[self.register_buffer(n, torch.ones(3)) for n in ('g', 'shift', 'centre', 'spread')]; "
        "self.register_buffer('mask', torch.tril(torch.ones(8, 8))); "
        "self.register_buffer('table', torch.arange(8.0), persistent=False)"
    )

    def test_frozen_norms_are_norms_whatever_their_buffers_are_called(self, tmp_path):
        body = (
            "s = (self.g * (self.spread + 1e-5).rsqrt())[None, :, None, None]\n"
            "        b = self.shift[None, :, None, None]\n"
            "        return x * s + (b - self.centre[None, :, None, None] * s)"
        )
        layer = only(forward(tmp_path, body, made=self.MADE), "BatchNormalization")
        assert [(p.role, p.name, p.trainable) for p in layer.parameters] == [
            ("scale", "g", False), ("bias", "shift", False),
            ("mean", "centre", False), ("var", "spread", False),
        ]  # fmt: skip

    def test_masks_and_tables_are_constants(self, tmp_path):
        graph = forward(tmp_path, "return x * self.mask + self.table", made=self.MADE)
        assert operators(graph) == ["Mul", "Add"]
        assert graph.parameters() == {}


class TestFlagsOfTraining:
    """`eval()` does not reach a functional call with a flag of its own."""

    def test_a_dropout_that_drops_in_inference_says_so(self, tmp_path):
        for name, call in [("dropout", "F.dropout(x, 0.3)"), ("map", "F.dropout2d(x, 0.3)")]:
            folder = tmp_path / name
            folder.mkdir()
            dropout = only(forward(folder, f"return F.relu({call})"), "Dropout")
            assert dropout.attributes == {"ratio": 0.3, "training_mode": 1}

    def test_a_dropout_that_follows_the_module_does_not(self, tmp_path):
        dropout = only(forward(tmp_path, "return F.dropout(x, 0.3, self.training)"), "Dropout")
        assert dropout.attributes == {"ratio": 0.3}

    @pytest.mark.parametrize("rest", ["", ", is_causal=True", ", attn_mask=x[0, 0].T @ x[0, 0]"])
    def test_attention_that_drops_weights_is_no_attention_alone(self, tmp_path, rest):
        body = f"return F.scaled_dot_product_attention(x, x, x, dropout_p=0.25{rest})"
        dropout = only(forward(tmp_path, body), "Dropout")
        assert dropout.attributes == {"ratio": 0.25, "training_mode": 1}

    @pytest.mark.parametrize(
        "made", ["self.norm = nn.BatchNorm2d(3, track_running_stats=False)",
                 "self.norm = lambda y: F.batch_norm(y, None, None, training=True)"],
    )  # fmt: skip
    def test_statistics_of_the_batch(self, tmp_path, made):
        norm = only(forward(tmp_path, "return self.norm(x)", made=made), "BatchNormalization")
        assert norm.attributes["training_mode"] == 1


def test_numbers_that_a_module_holds_in_buffers_are_those_of_its_shapes(tmp_path):
    source = """
    import torch
    from torch import nn
    from torch.nn import functional as F
    INPUTS = {"x": (1, 3, 8)}
    class Padded(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(3, 4, 3, stride=2)
            self.register_buffer("stride", torch.tensor(2), persistent=False)
        def forward(self, x):
            extra = torch.ceil(x.shape[-1] / self.stride).to(torch.int64) * self.stride + 1
            return self.conv(F.pad(x, (0, extra - x.shape[-1])))
    model = Padded
    """
    graph = graph_of(write(tmp_path, source))
    assert operators(graph) == ["Conv"] and not graph.notes
    assert graph.layers[0].outputs[0].shape == (1, 4, 4)
    assert agrees(proof(write(tmp_path, source)))
