"""What a layer looks like on its own, at four levels of strictness."""

from __future__ import annotations

from typing import Any, Final

from modeldocs.diff.forms import Form
from modeldocs.graph import Dim

EXACT, SHAPED, WEIGHTED, NAMED = range(4)
"""Levels: everything; operator and shape; operator, channels and weight; operator alone."""

LEVELS: Final = (EXACT, SHAPED, WEIGHTED, NAMED)
WORDS: Final = (
    "operator, attributes, parameters and shape",
    "operator and shape",
    "operator, channels and weight",
    "operator",
)
"""The levels as a reason tells them."""

Label = tuple[Any, ...]


def labels(form: Form, shape: tuple[Dim, ...] | None, batch: Dim) -> tuple[Label, ...]:
    """The label of a layer at each of `LEVELS`; `shape` is its first output's."""
    plane = bare(shape, batch)
    weight = _ungrouped(form)
    return (
        (form.operator, plane, form.parameters, form.attributes),
        (form.operator, plane),
        (form.operator, _channels(shape), weight),
        (form.operator,),
    )


def _ungrouped(form: Form) -> Any:
    """Shape of the weight as it would be without groups."""
    weight = dict(form.parameters).get("weight")
    group = dict(form.attributes).get("group", 1)
    if weight is None or form.operator != "Conv" or len(weight) < 2:
        return weight
    return (weight[0], weight[1] * group, *weight[2:])


def bare(shape: tuple[Dim, ...] | None, batch: Dim) -> tuple[Any, ...] | None:
    """A shape without batch size, names of dimensions and dimensions of size one."""
    if shape is None:
        return None
    first, rest = shape[:1], shape[1:]
    head = ["N" if dim == batch or not isinstance(dim, int) else dim for dim in first]
    return (*head, *("?" if not isinstance(dim, int) else dim for dim in rest if dim != 1))


def _channels(shape: tuple[Dim, ...] | None) -> Any:
    """Channels of an image (axis 1) or features of a sequence (the last axis)."""
    if not shape:
        return None
    dim = shape[1] if len(shape) >= 4 else shape[-1]
    return dim if isinstance(dim, int) else None
