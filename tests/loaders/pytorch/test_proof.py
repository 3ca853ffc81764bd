"""The reference: torch's own model with designed values, run and counted."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import loader
from modeldocs.loaders.pytorch import module
from modeldocs.numeric.proof.design import designs

from ..ports import graph_of, write
from .nets import agrees, proof

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.xdist_group("pytorch proof")

HEAD = "import torch\nfrom torch import nn\n"
SOURCE = f"""{HEAD}
INPUTS = {{"ids": ((1, 7), "int64"), "kinds": ((1, 7), "int64")}}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.kinds = nn.Embedding(50, 6), nn.Embedding(2, 6)
        self.fixed = nn.Parameter(torch.zeros(7, 6), requires_grad=False)
        self.unread = nn.Linear(6, 6)
        self.norm = nn.BatchNorm1d(7)
        self.head = nn.Linear(6, 50, bias=False)
        self.head.weight = self.words.weight
    def forward(self, ids, kinds):
        x = self.words(ids) + self.kinds(kinds) + self.fixed
        return self.head(self.norm(x)).relu()
"""


def reference(request):
    return next(loader("pytorch").prove(request, designs))


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    return write(tmp_path_factory.mktemp("port"), SOURCE)


@pytest.fixture(scope="module")
def proven(asked):
    """The model and the reference."""
    return reference(asked)


class TestReference:
    def test_the_graph_gives_what_torch_gives_layer_by_layer(self, asked):
        found = proof(asked)
        assert found.loaded.relative <= 1e-5 and found.normal.relative <= 1e-5
        assert found.first is None

    def test_each_layer_is_told_by_the_value_that_onnx_has_for_it(self, proven):
        model, held = proven
        values = {value.name for node in model.graph for value in node.outputs}
        assert {"add", "relu"} <= set(held.activations) <= values

    def test_parameters_are_counted_as_torch_counts_them(self, proven):
        _, held = proven
        assert held.trainable == 50 * 6 + 2 * 6 + 7 * 2  # without those that nothing reads
        assert held.frozen == 7 * 6 + 7 * 2

    def test_those_that_nothing_reads_are_told(self, proven):
        model, _ = proven
        assert "never read: unread.bias, unread.weight" in model.metadata_props["modeldocs.notes"]

    def test_an_exit_that_is_not_returned_is_not_counted(self, tmp_path):
        source = f"""{HEAD}
INPUTS = {{"x": (1, 3, 4, 4)}}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 3, 1)
        self.early = nn.Sequential(nn.Conv2d(3, 5, 1), nn.BatchNorm2d(5))
    def forward(self, x):
        x = self.body(x)
        exits = [self.early(x), x.relu()]
        return exits[-1]
"""
        found = proof(write(tmp_path, source))
        assert agrees(found) and found.theirs.trainable == 3 * 3 + 3

    def test_indices_stay_within_their_tables(self, proven):
        _, held = proven
        assert held.inputs["ids"].max() < 50 and held.inputs["kinds"].max() < 2

    def test_no_parameter_keeps_what_its_constructor_gave_it(self, proven):
        held = proven.reference.parameters
        assert all(held[name].any() for name in ("fixed", "norm.bias"))
        assert held["norm.running_var"].min() < 1e-5 < held["norm.running_var"].max()

    def test_it_is_the_same_each_time(self, asked, proven):
        (again,) = reference(asked).reference.outputs.values()
        (first,) = proven.reference.outputs.values()
        assert np.array_equal(first, again)

    def test_one_that_raises_when_run_is_told_with_its_line(self, tmp_path):
        source = f"""{HEAD}
INPUTS = {{"x": (1, 4)}}
class Net(nn.Module):
    runs = 0
    def forward(self, x):
        Net.runs += 1
        if Net.runs > 1:
            raise ValueError("only once")
        return x.relu()
"""
        with pytest.raises(ModeldocsError, match="running it raised ValueError: only once"):
            reference(write(tmp_path, source))


class TestLarge:
    SOURCE = f"""{HEAD}
INPUTS = {{"x": (1, 5, 8)}}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tril(torch.ones(5, 5)), persistent=False)
        self.a = nn.Linear(8, 8, bias=False)
        self.b = nn.Linear(8, 8, bias=False)
        self.b.weight = self.a.weight
        self.rnn = nn.GRU(8, 4, batch_first=True)
        print("made", [step.item() for step in torch.linspace(0, 1, 3)])
    def forward(self, x):
        return self.rnn(self.b(self.mask @ self.a(x)))[0]
"""

    def test_it_is_traced_without_its_values_and_says_so(self, tmp_path, monkeypatch, capsys):
        asked = write(tmp_path, self.SOURCE)
        real = graph_of(asked)
        monkeypatch.setattr(module, "REAL_BYTES", 100)
        capsys.readouterr()
        fake = graph_of(asked)
        assert fake.notes == (
            "too large to be built here (0.0 GB of parameters): traced on fake tensors",
        )
        assert (fake.layers, fake.inputs, fake.outputs) == (real.layers, real.inputs, real.outputs)
        assert capsys.readouterr().out.count("made") == 1

    def test_a_constructor_that_needs_values_gets_them(self, tmp_path, monkeypatch):
        source = self.SOURCE.replace("print(", "self.a.weight.sum().item(); print(")
        monkeypatch.setattr(module, "REAL_BYTES", 100)
        assert graph_of(write(tmp_path, source)).notes == ()

    def test_it_is_not_run(self, tmp_path, monkeypatch):
        monkeypatch.setattr(module, "REAL_BYTES", 100)
        with pytest.raises(
            ModeldocsError, match="too large to be proven: its parameters take 928 bytes"
        ):
            reference(write(tmp_path, self.SOURCE))

    def test_what_fits_is_built(self, tmp_path):
        assert agrees(proof(write(tmp_path, self.SOURCE)))
