"""TorchScript: the graph of each module is run as that module, so nothing of it is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs.errors import ModeldocsError

from ..ports import graph_of, only, operators, write
from .nets import SHAPES, agrees, proof, proven, request, samples

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning", "ignore::UserWarning"),
    pytest.mark.xdist_group("saved archives"),
]
nn = torch.nn

KINDS = ("scripted", "jit-traced")


@pytest.fixture(scope="module")
def graphs(saved):
    return {kind: graph_of(request(saved[kind], inputs=SHAPES)) for kind in KINDS}


def scripted(module, folder, *shapes):
    """The request for a module that was scripted."""
    path = folder / "net.pt"
    torch.jit.script(module.eval()).save(str(path))
    names = torch.jit.load(path)._c._get_method("forward").schema.arguments[1:]
    return request(path, inputs={n.name: s for n, s in zip(names, shapes, strict=True)})


@pytest.mark.parametrize("kind", KINDS)
class TestEither:
    def test_modules_keep_path_class_and_line(self, graphs, kind):
        rnn = only(graphs[kind], "LSTM")
        assert rnn.modules[-1].path == "rnn" and rnn.modules[-1].kind == "nn.LSTM"
        (source,) = only(graphs[kind], "Conv").origins
        line = Path(__file__).with_name("nets.py").read_text().splitlines()[source.line - 1]
        assert (source.operator, source.file) == ("torch.nn.Conv2d", "nets.py")
        assert "self.conv(image)" in line

    def test_dropout_stays(self, graphs, kind):
        assert only(graphs[kind], "Dropout").attributes == {"ratio": 0.3}

    def test_parameters_go_by_their_names_and_shared_ones_count_once(self, graphs, kind):
        parameters = graphs[kind].parameters()
        assert {"conv.weight", "norm.running_var", "rnn.bias_hh_l0"} <= set(parameters)
        assert graphs[kind].totals().parameters == 112 + 8 + 16 + 8 + 24 * 10 + 48
        assert graphs[kind].totals().buffers == 8

    def test_inputs_and_outputs_keep_their_names(self, graphs, kind):
        assert {i.name: i.type.shape for i in graphs[kind].inputs} == SHAPES
        assert graphs[kind].outputs[1].name == "read"

    def test_it_is_proven_with_the_weights_it_holds(self, saved, kind):
        assert agrees(proof(request(saved[kind], inputs=SHAPES)))


class TestInstructions:
    def test_the_modules_compute_what_the_archive_computes(self, saved):
        from modeldocs.loaders.pytorch.torchscript import modules

        expected = torch.jit.load(saved["scripted"])(*samples())
        found = modules.read(saved["scripted"])(*samples())
        assert found.keys() == expected.keys()
        assert all(torch.equal(found[key], expected[key]) for key in expected)

    def test_settings_of_scripted_modules_are_told(self, graphs):
        (source,) = only(graphs["scripted"], "Conv").origins
        assert source.attributes["kernel_size"] == [3, 3]

    def test_branches_on_what_is_known_are_taken(self, tmp_path):
        class Net(nn.Module):
            def forward(self, x, flag: bool = False):
                if flag:
                    x = x.relu()
                parts = [x.size(0), len(x.shape)]
                if x.dim() == 2 and parts[1] == 2 and flag is not None:
                    return x.tanh()
                return x

        asked = scripted(Net(), tmp_path, (2, 3), ())
        assert operators(graph_of(asked, inputs={"x": (2, 3)})) == ["Tanh"]

    def test_containers_work(self, tmp_path):
        class Net(nn.Module):
            def forward(self, x):
                held = {"a": x, "b": x + 1}
                held["c"] = held["a"] * held["b"]
                pair = (held["c"], 2)
                values = list(held.values())
                values[0] = pair[0] - pair[1]
                return torch.cat(values[:2] + values[2:], 1)

        assert agrees(proof(scripted(Net(), tmp_path, (2, 3))))

    def test_slices_of_everything_are_none(self, tmp_path):
        class Net(nn.Module):
            def forward(self, x):
                return x[:, 1:].relu()

        found = operators(graph_of(scripted(Net(), tmp_path, (2, 3))))
        assert found == ["Slice", "Relu"]

    def test_transposed_convolution_of_a_traced_archive(self, tmp_path):
        path = tmp_path / "net.pt"
        module = nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2, output_padding=1)
        torch.jit.trace(module, torch.zeros(1, 4, 5, 5)).save(str(path))
        asked = request(path, inputs={"": (1, 4, 5, 5)})
        assert agrees(proof(asked))
        assert only(graph_of(asked), "ConvTranspose").attributes["group"] == 2

    def test_what_it_raises_is_told(self, tmp_path):
        class Net(nn.Module):
            def forward(self, x):
                if x.size(0) != 1:
                    raise ValueError("one at a time")
                return x

        with pytest.raises(ModeldocsError, match="one at a time"):
            graph_of(scripted(Net(), tmp_path, (2, 3)))

    @pytest.mark.parametrize("kind", KINDS)
    def test_without_a_shape_the_fix_suggests_one(self, saved, kind):
        with pytest.raises(ModeldocsError, match="no input shape is given") as raised:
            graph_of(request(saved[kind]))
        assert "--input image=1,3,HEIGHT,WIDTH --input other=SHAPE" in raised.value.fix

    def test_a_module_may_have_scripted_parts(self, tmp_path):
        port = write(tmp_path, """
            import torch
            from torch import nn
            INPUTS = {"x": (1, 3, 8, 8)}

            class Block(torch.jit.ScriptModule):
                def __init__(self):
                    super().__init__()
                    self.conv = nn.Conv2d(3, 3, 3, padding=1)

                @torch.jit.script_method
                def forward(self, x):
                    return torch.relu(self.conv(x)) + x

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.blocks = nn.Sequential(Block(), Block())
                    self.head = torch.jit.script(nn.Conv2d(3, 4, 1))

                def forward(self, x):
                    return self.head(self.blocks(x))
        """)  # fmt: skip
        found, graph = proven(port)
        assert agrees(found)
        modules = [layer.modules[-1].path for layer in graph.layers if layer.operator == "Conv"]
        assert modules == ["blocks.0.conv", "blocks.1.conv", "head"]
