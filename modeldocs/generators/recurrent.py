"""Recurrent layers as frameworks have them: batch first, directions side by side.

Normal form has all steps as time x directions x batch x units and last states as directions x batch
x units, as ONNX does.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from modeldocs.generators.lowered import TensorForm
from modeldocs.generators.site import Site
from modeldocs.ir import Reshape, Transpose

_BATCH_FIRST = (1, 0, 2)
_PLAIN = {"hidden_size", "direction", "linear_before_reset"}
"""Attributes that frameworks have; others are activations, a clip, coupled gates."""
_BIAS = 3
STATE, CELL = 5, 6
"""The slots of what a layer starts with."""

_OTHERS = {4: "lengths", STATE: "an initial state", CELL: "an initial cell", 7: "peepholes"}


@dataclass(frozen=True)
class Recurrence:
    """A recurrent layer: its sizes, and which of its outputs are read."""

    inputs: int
    units: int
    directions: int
    has_bias: bool
    is_reversed: bool
    steps: int
    batch: int
    used: tuple[int, ...]

    @property
    def sequence(self) -> TensorForm:
        """All steps, batch x time x (directions · units)."""
        shape = (self.batch, self.steps, self.directions * self.units)
        split = (self.batch, self.steps, self.directions, self.units)
        return TensorForm(shape, (Reshape(shape, split), Transpose((1, 2, 0, 3))))

    @property
    def state(self) -> TensorForm:
        """A last state, batch x (directions · units)."""
        shape = (self.batch, self.directions * self.units)
        split = (self.batch, self.directions, self.units)
        return TensorForm(shape, (Reshape(shape, split), Transpose((1, 0, 2))))


def recurrence(site: Site, *, runs_backwards: bool = False, starts: bool = False) -> Recurrence:
    """What a layer of any framework is made of.

    `runs_backwards` is whether the framework has layers that run backwards alone, `starts` whether
    they take initial states.

    Raises:
        NoProgramError: it has what the framework does not, or other activations than its own.
    """
    for slot, told in _OTHERS.items():
        if site.has(slot) and not (starts and slot in (STATE, CELL)):
            raise site.unsupported(f"it has {told}")
    others = sorted(set(site.attributes) - _PLAIN)
    if others:
        raise site.unsupported(f"its {', '.join(others)} are not the default")
    direction = site.attributes.get("direction", "forward")
    if direction == "reverse" and not runs_backwards:
        raise site.unsupported("it runs backwards alone")
    steps, batch, inputs = site.shape(0)
    return Recurrence(
        inputs=inputs,
        units=int(site.layer.number("hidden_size", 0)),
        directions=2 if direction == "bidirectional" else 1,
        has_bias=site.has(_BIAS),
        is_reversed=direction == "reverse",
        steps=steps,
        batch=batch,
        used=tuple(site.used_outputs()),
    )


def sequence(site: Site) -> ast.expr:
    """What the layer reads, batch x time x features."""
    return site.reordered(0, _BATCH_FIRST)
