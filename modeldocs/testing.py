"""Assertions for a team's own tests: two networks are the same, or nearly."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from modeldocs.errors import ModeldocsError
from modeldocs.interface.comparison import diff
from modeldocs.interface.subject import MODELS
from modeldocs.verdict import level

UpTo = Literal["structure", "epsilon", "padding", "head", "order", "weights", "compared", "small"]
"""What `assert_same` may let pass beside networks that are proven to be the same."""

_ALLOWED = {
    "structure": level.BY_STRUCTURE,
    "epsilon": level.UP_TO_EPSILON,
    "padding": level.UP_TO_PADDING,
    "head": level.UP_TO_HEAD,
    "order": level.RETURNED_DIFFERENTLY,
    "weights": level.HELD_DIFFERENTLY,
    "compared": level.PARTLY_COMPARED,
    "small": level.SMALL_DIFFERENCES,
}


def assert_same(
    a: object,
    b: object,
    up_to: UpTo | None = None,
    *,
    inputs: object = None,
    framework: str | None = None,
    models: str | Path = MODELS,
) -> None:
    """Assert that two networks compute the same function, proven by numbers.

    Args:
        a: a source or a live object, see `modeldocs.load`.
        b: the other, of any framework.
        up_to: one difference that passes, beside those that are none: `"head"`, the output head;
            `"epsilon"` or `"padding"`, numbers but for the epsilon of a norm or for padding;
            `"order"`, the order, shape or type of what is returned; `"weights"`, weights that need
            converting; `"small"`, numbers that differ by at most 1 %; `"structure"`, `"compared"`,
            that not all, or nothing, could be run.
        inputs: those of both, see `modeldocs.load`; `modeldocs.live` gives an object its own.
        framework: that of sources that are not recognised.
        models: the folder of the catalog.

    Raises:
        AssertionError: they differ by more; the message is what `modeldocs diff` prints.
        ModeldocsError: one of them cannot be loaded, or `up_to` is no such difference.
    """
    __tracebackhide__ = True
    if up_to is not None and up_to not in _ALLOWED:
        raise ModeldocsError(
            f"up_to is {up_to!r}, which is no difference", fix=f"use one of {', '.join(_ALLOWED)}"
        )
    found = diff(a, b, inputs=inputs, framework=framework, models=models)
    allowed = {level.SAME} if up_to is None else {level.SAME, _ALLOWED[up_to]}
    if found.verdict not in allowed:
        raise AssertionError(f"not the same{f' up to the {up_to}' if up_to else ''}\n\n{found}")
