"""Each operator of Flax's table computes in Flax what onnxruntime computes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from modeldocs import normal
from modeldocs.generators import Program, target
from modeldocs.generators.site import NoProgramError
from modeldocs.loaders import loading
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.proof.holding import HeldOperand

from ..normal.nets import Net
from . import running
from .nets import NETS

pytestmark = pytest.mark.xdist_group("flax programs")

REFUSED: dict[str, str] = {}
"""Nets that Flax has no layers for, with the reason."""


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory, environment) -> Path:
    """A folder with what Flax computes of each net, or why it cannot."""
    chosen = environment("flax")
    folder = tmp_path_factory.mktemp("flax")
    for name, net in NETS.items():
        if name in REFUSED:
            continue
        made = running.program(net, "flax")
        file = folder / f"{_stem(name)}.py"
        file.write_text(target("flax").write(made, "A net."))
        np.savez(file.with_suffix(".npz"), **_arrays(net, made))
    program = Path(__file__).with_name("flax_programs.py")
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
    model = net.model()
    normal.apply(model)
    read = runtime.run(model, net.weights, [one.value for one in made.weights.values()])
    for path, one in made.weights.items():
        held = HeldOperand(one.value, one.axes, one.order, one.columns)
        arrays[f"weight:{path}"] = held.array(read[one.value])
    return arrays


@pytest.mark.parametrize("name", [name for name in NETS if name not in REFUSED])
def test_it_computes_the_same(name: str, computed: Path) -> None:
    net = NETS[name]
    error = computed / f"{_stem(name)}.error"
    assert not error.exists(), error.read_text()
    ours = list(np.load(computed / f"{_stem(name)}.out.npz").values())
    running.assert_close(ours, running.expected(net, running.program(net, "flax")))


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_has_no_program_for_is_named_with_the_reason(name: str) -> None:
    with pytest.raises(NoProgramError, match=REFUSED[name]):
        running.program(NETS[name], "flax")
