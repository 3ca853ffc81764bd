"""What a layer looks like on its own, at several levels of strictness."""

from __future__ import annotations

from typing import Any, Final

from modeldocs.diff.function.forms import INPUT, Form
from modeldocs.ir import Dim
from modeldocs.ir.operators import family

EXACT, SHAPED, WEIGHTED, NAMED, OUTLINE, TRUNK, BARE = range(7)
"""Levels of single layers: everything; operator and shape; operator, channels and weight;
operator alone. Levels of principals, wherever their operands stand: channels and weight; the
channels made; the family of operators alone."""

LAYERS: Final = (EXACT, SHAPED, WEIGHTED, NAMED)
PRINCIPALS: Final = (OUTLINE, TRUNK, BARE)
WORDS: Final = (
    "operator, attributes, parameters and shape",
    "operator and shape",
    "operator, channels and weight",
    "operator",
    "weights of the groups of layers",
    "channels made by the groups of layers",
    "operators of the groups of layers",
)
"""The levels as a reason tells them."""

RADII: Final = (4, 4, 4, 2, 8, 8, 1)
"""Largest Weisfeiler-Lehman ball that is coloured at each level."""

Label = tuple[Any, ...]


def labels(form: Form, shape: tuple[Dim, ...] | None, batch: Dim) -> tuple[Label, ...]:
    """The label of a layer at each of `LEVELS`; `shape` is its first output's."""
    plane = bare(shape, batch)
    weight = _ungrouped(form)
    channels = None if form.operator == INPUT else _channels(shape)
    named = form.operator if weight else _family(form.operator)
    return (
        (form.operator, plane, form.parameters, form.attributes),
        (form.operator, plane),
        (form.operator, channels, weight),
        (form.operator,),
        (named, channels, weight),
        (named, channels, weight[2:]) if weight else (named,),
        (named,),
    )


def _family(operator: str) -> str:
    return operator if family(operator) == "other" else family(operator)


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
