"""Each operator of Flax's table computes in Flax what onnxruntime computes, and faults show."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from modeldocs import normal
from modeldocs.generators.flax import Flax
from modeldocs.generators.no_program import NoProgramError
from modeldocs.generators.program import Program
from modeldocs.loaders import loading
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.execution.closeness import output_distance
from modeldocs.numeric.proof.frameworks import TOLERANCE
from modeldocs.numeric.proof.holding import HeldOperand

from ..normal.nets import Arrays, Net
from . import recurrent_nets, running
from .nets import NETS as OF_ALL
from .nets import one

FLAX = Flax()
pytestmark = pytest.mark.xdist_group("flax programs")

REFUSED = ("GridSample, cubic", "GridSample, reflected", "Resize, antialiased")
NETS = {name: net for name, net in OF_ALL.items() if name not in REFUSED} | recurrent_nets.NETS
NETS |= {
    "MaxPool, dilated": Net(
        one(
            "MaxPool <kernel_shape: ints = [3, 3], strides: ints = [2, 1], "
            "pads: ints = [1, 2, 1, 2], dilations: ints = [1, 2]> (x)"
        )
    ),
}

UNSUPPORTED = {
    "an antialiased resize": (OF_ALL["Resize, antialiased"], "antialiased"),
    "a cubic sample": (OF_ALL["GridSample, cubic"], "cubic interpolation"),
    "a reflected sample": (OF_ALL["GridSample, reflected"], "padding reflection"),
    "a transposed convolution in groups": (
        Net(one("ConvTranspose <group: int = 2> (x, w)"), w=(4, 3, 3, 3)),
        "in groups",
    ),
    "a dilated mean": (
        Net(one("AveragePool <kernel_shape: ints = [2, 2], dilations: ints = [2, 2]> (x)")),
        "no dilated mean",
    ),
}

FAULTS = {
    "a window that is not causal": ("Attention, causal", "is_causal=True", "is_causal=False"),
    "a scale of the scores": ("Attention", "2, 3)\n        ).", "2, 3), scale=0.5\n        )."),
    "pads counted": ("AveragePool, unequal pads left out", ", count_include_pad=False", ""),
    "pads left out": ("AveragePool, pads counted", '"SAME"', '"SAME", count_include_pad=False'),
    "an epsilon left at its default": ("BatchNormalization", ", epsilon=0.01", ""),
    "the epsilon of another norm": ("GroupNormalization", "epsilon=1e-5", "epsilon=1e-3"),
    "another number of groups": ("GroupNormalization", "(4, 2,", "(4, 4,"),
    "a norm over other axes": (
        "LayerNormalization",
        "epsilon=0.01",
        "epsilon=0.01, reduction_axes=(-2, -1)",
    ),
    "a bound": ("Clip", "-0.5", "-0.6"),
    "pads of the other side": ("Conv, grouped, unequal pads", "((0, 2), ", "((2, 0), "),
    "a transposed kernel": ("Conv of rank 3", "self.conv_1(x)", "self.conv_1(x[:, ::-1])[:, ::-1]"),
    "pads of a transposed convolution": ("ConvTranspose", "((1, 2), (1, 2))", "((2, 1), (1, 2))"),
    "the other order of a block": ("DepthToSpace", "(0, 1, 4, 2, 5, 3)", "(0, 1, 5, 2, 4, 3)"),
    "a slope": ("LeakyRelu", "0.2", "0.01"),
    "GELU by tanh": ("Gelu", ", approximate=False", ""),
    "exact GELU": ("Gelu by tanh", "nnx.gelu(x)", "nnx.gelu(x, approximate=False)"),
    "the wrong axis": ("Softmax", "softmax(x)", "softmax(x, axis=1)"),
    "rows for columns": ("Conv, then Softmax over columns", "axis=2", "axis=1"),
    "pads of both sides": (
        "MaxPool, unequal pads as rounding up",
        '"SAME"',
        "((1, 1), (1, 1))",
    ),
    "a divisor left at its default": ("LRN", ", k=2.0", ""),
    "a smaller window": ("LRN", "(x, 3,", "(x, 1,"),
    "a mean for a maximum": ("GlobalMaxPool", "x.max(", "x.mean("),
    "another resize": ("Resize, bilinear", '"linear"', '"nearest"'),
    "a tensor turned": ("Transpose and Reshape", ".transpose(0, 2, 3, 1)", ""),
    "an activation left out": ("Relu", "nnx.relu(x)", "x"),
    "a softplus for a mish": ("Mish", "jax.nn.mish(x)", "x * nnx.sigmoid(x)"),
    "operands exchanged": ("Sub", "x - self.b[...]", "self.b[...] - x"),
    "a bias left out": ("Gemm", "(x)", "(x) - self.gemm_1.bias[...]"),
    "a cut at other places": ("Split", "[2]", "[4]"),
    "one row for another": ("Gather of one row", "x[:, 1]", "x[:, 0]"),
}
"""Faults by what they are: the net, the code of its program, and the code that takes its place."""


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory, environment) -> Path:
    """A folder with what Flax computes of each net and of each fault, or why it cannot."""
    folder = tmp_path_factory.mktemp("flax")
    for name, net in NETS.items():
        _write(folder / f"{_stem(name)}.py", net, running.program(net, FLAX))
    for name, (own, code, fault) in FAULTS.items():
        _write(folder / f"{_stem(name)}.py", NETS[own], running.program(NETS[own], FLAX))
        file = folder / f"{_stem(name)}.py"
        assert code in file.read_text(), name
        file.write_text(file.read_text().replace(code, fault))
    program = Path(__file__).with_name("flax_programs.py")
    words = [loading.interpreter(environment("flax")), str(program), str(folder)]
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    return folder


def _stem(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def _write(file: Path, net: Net, made: Program) -> None:
    file.write_text(FLAX.write(made, "A net."))
    arrays = {}
    orders = made.interface.inputs
    for place, (array, order) in enumerate(zip(net.inputs.values(), orders, strict=True)):
        arrays[f"input:{place}"] = array.transpose(order) if order else array
    for path, array in _weights(net, made).items():
        arrays[f"weight:{path}"] = array
    np.savez(file.with_suffix(".npz"), **arrays)


def _weights(net: Net, made: Program) -> Arrays:
    """What the program's attributes hold, by path."""
    model = net.model()
    normal.apply(model)
    read = runtime.run(model, net.weights, [one.value for one in made.weights.values()])
    held = {
        path: HeldOperand(one.value, one.axes, one.order, one.columns, one.summed, one.gates)
        for path, one in made.weights.items()
    }
    return {path: one.array(read[one.value]) for path, one in held.items()}


def _outputs(folder: Path, name: str) -> list[np.ndarray]:
    error = folder / f"{_stem(name)}.error"
    assert not error.exists(), error.read_text()
    return list(np.load(folder / f"{_stem(name)}.out.npz").values())


@pytest.mark.parametrize("name", NETS)
def test_it_computes_the_same(name: str, computed: Path) -> None:
    net = NETS[name]
    expected = running.expected(net, running.program(net, FLAX))
    running.assert_close(_outputs(computed, name), expected)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_shows(name: str, computed: Path) -> None:
    net = NETS[FAULTS[name][0]]
    expected = running.expected(net, running.program(net, FLAX))
    found = _outputs(computed, name)
    differences = [output_distance(a, b) for a, b in zip(expected, found, strict=True)]
    assert max(one.size() for one in differences) > TOLERANCE


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_it_has_no_program_for_is_named_with_the_reason(name: str) -> None:
    net, reason = UNSUPPORTED[name]
    with pytest.raises(NoProgramError, match=reason):
        running.program(net, FLAX)


def test_all_of_the_table_of_other_targets_is_there() -> None:
    assert set(running.PYTORCH.table) <= set(FLAX.table)
