"""Multiply-accumulates of an Einsum."""

from __future__ import annotations

import math

from modeldocs.ir import Dim
from modeldocs.normal.products import OperatorCall


def einsum(call: OperatorCall) -> int | None:
    """The product of all sizes where two tensors are multiplied and summed over; else 0.

    Unknown with three tensors, which may be multiplied in any order, and where a tensor's shape is.
    """
    terms = str(call.attributes.get("equation", "")).replace(" ", "").split("->")
    operands = terms[0].split(",")
    if len(operands) > 2:
        return None
    sizes: dict[str, Dim] = {}
    for slot, letters in enumerate(operands):
        shape = _shape(call, slot)
        if shape is None:
            return None
        sizes |= _named(letters, shape)
    output = terms[1] if len(terms) > 1 else _implied(operands)
    summed = set(operands[0]) & set(operands[-1]) - set(output)
    if len(operands) < 2 or not summed - {"."}:
        return 0
    known = [size for size in sizes.values() if isinstance(size, int)]
    return math.prod(known) if len(known) == len(sizes) else None


def _shape(call: OperatorCall, slot: int) -> tuple[Dim, ...] | None:
    """The shape of an operand, which may be the only parameter."""
    found = call.operand(slot)
    if found is not None:
        return found.shape
    return call.parameters[0].shape if len(call.parameters) == 1 else None


def _named(letters: str, shape: tuple[Dim, ...]) -> dict[str, Dim]:
    """Sizes by letter; the axes of an ellipsis by their place from its end."""
    before, dots, after = letters.partition("...")
    sizes: dict[str, Dim] = dict(zip(before, shape, strict=False))
    sizes |= dict(zip(reversed(after), reversed(shape), strict=False))
    inner = shape[len(before) : len(shape) - len(after)] if dots else ()
    return sizes | {f"...{place}": size for place, size in enumerate(reversed(inner))}


def _implied(operands: list[str]) -> str:
    """The letters of an output that is not given: those that stand once."""
    joined = "".join(operands).replace(".", "")
    return "".join(letter for letter in joined if joined.count(letter) == 1)
