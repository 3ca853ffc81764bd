"""Emitters of what `hstack` and the like do to each tensor first: axes are added up to a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

_SHAPES: dict[int, dict[int, tuple[int, ...]]] = {
    1: {0: (1,)},
    2: {0: (1, 1), 1: (1, -1)},
    3: {0: (1, 1, 1), 1: (1, -1, 1), 2: (0, -1, 1)},
}
"""By least number of axes: the shape of a tensor with fewer, as Reshape takes it."""


def at_least(least: int) -> Callable[[Sequence[Any]], list[Any]]:
    """An emitter for tensors that get so many axes where they have fewer."""

    def emitter(tensors: Sequence[Any]) -> list[Any]:
        return [_with_axes(x, _SHAPES[least].get(len(x.shape))) for x in tensors]

    return emitter


def _with_axes(x: Any, shape: tuple[int, ...] | None) -> Any:
    from onnxscript import opset23

    op: Any = opset23
    return op.Identity(x) if shape is None else op.Reshape(x, op.Constant(value_ints=list(shape)))
