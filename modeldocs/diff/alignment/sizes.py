"""What a layer's parameters are, what they make, and through what window: sizes to compare by."""

from __future__ import annotations

from modeldocs.diff.function.forms import DENSE, Form


def signature(form: Form) -> tuple[object, ...] | None:
    """What a layer's parameters are, whatever operator holds them; None where it has none.

    A convolution of one pixel and a dense layer hold the same matrix; groups are told apart.
    """
    if not form.parameters:
        return None
    weight = dict(form.parameters).get("weight")
    if weight is None:
        return form.operator, form.parameters
    while len(weight) > 2 and weight[-1] == 1:
        weight = weight[:-1]
    operator = DENSE if form.operator == "Conv" and len(weight) == 2 else form.operator
    return operator, dict(form.attributes).get("group", 1), weight


def made(form: Form) -> tuple[object, ...] | None:
    """What a layer's parameters make, whatever it reads; None where it has none.

    A norm has a size of its own in nothing, a convolution in its kernel and its outputs.
    """
    if not form.parameters:
        return None
    weight = dict(form.parameters).get("weight")
    if weight is None:
        return (form.operator, *(name for name, _ in form.parameters))
    operator, group, shape = signature(form) or ("", 1, ())
    return operator, group, weight[0], shape[2:] if isinstance(shape, tuple) else ()


def window(form: Form) -> tuple[object, ...] | None:
    """The operator of a layer with parameters and its window, whatever it reads and makes."""
    told = made(form)
    return None if told is None else (told[0], told[-1])
