"""Each operator of Keras' table computes in Keras what onnxruntime computes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from modeldocs.generators.no_program import NoProgramError
from modeldocs.generators.program import Program
from modeldocs.loaders import loading

from ..normal.nets import Net
from . import running
from .nets import NETS

pytestmark = pytest.mark.xdist_group("keras programs")

REFUSED = {
    "Resize, antialiased": "antialiased",
    "Conv": "strides and dilations",
    "DFT of an axis": "last axis",
    "DFT, inverse": "no inverse transform",
    "DepthToSpace": "DCR only",
    "GridSample, cubic": "cubic interpolation",
    "GridSample, reflected": "padding reflection",
    "ScatterElements, mul": "one of several factors",
}
"""Nets that Keras has no layers for, with the reason."""


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory, environment) -> Path:
    """A folder with what Keras computes of each net, or why it cannot."""
    chosen = environment("tensorflow")
    folder = tmp_path_factory.mktemp("keras")
    for name, net in NETS.items():
        if name in REFUSED:
            continue
        made = running.program(net, running.KERAS)
        file = folder / f"{_stem(name)}.py"
        file.write_text(running.KERAS.write(made, "A net."))
        np.savez(file.with_suffix(".npz"), **_arrays(net, made))
    program = Path(__file__).with_name("keras_programs.py")
    words = [loading.interpreter(chosen), str(program), str(folder)]
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    return folder


def _stem(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def _arrays(net: Net, made: Program) -> dict[str, np.ndarray]:
    arrays = {}
    orders = made.interface.inputs
    for place, (array, order) in enumerate(zip(net.inputs.values(), orders, strict=True)):
        arrays[f"input:{place}"] = array.transpose(order) if order else array
    for layer, part in made.root.members.items():
        for attribute, weight in part.weights.items():
            arrays[f"weight:{layer}:{attribute}"] = np.asarray(net.weights[weight.source])
    return arrays


@pytest.mark.parametrize("name", [name for name in NETS if name not in REFUSED])
def test_it_computes_the_same(name: str, computed: Path) -> None:
    net = NETS[name]
    error = computed / f"{_stem(name)}.error"
    assert not error.exists(), error.read_text()
    ours = list(np.load(computed / f"{_stem(name)}.out.npz").values())
    running.assert_close(ours, running.expected(net, running.program(net, running.KERAS)))


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_has_no_program_for_is_named_with_the_reason(name: str) -> None:
    with pytest.raises(NoProgramError, match=REFUSED[name]):
        running.program(NETS[name], running.KERAS)
