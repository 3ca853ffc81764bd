"""Expressions solved for what they read: how B's weights follow from A's, where it is known how A's
follow from B's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from modeldocs.numeric.parity import stored_weights
from modeldocs.numeric.parity.expression import Expression, concatenate, in_order
from modeldocs.numeric.parity.runnable_graph import RunnableGraph


@dataclass(frozen=True)
class _StoredPiece:
    """What the elements from `start` to `stop` of a stored array along an axis are; all of it with
    an axis of None.
    """

    name: str
    of: Expression
    axis: int | None = None
    start: int = 0
    stop: int = 0


def given_back(
    a: RunnableGraph, b: RunnableGraph, found: Mapping[str, Expression]
) -> dict[str, Expression]:
    """B's weights in A's stored ones, where `found` has weights of A in B's stored ones."""
    stored = solved(found, stored_weights.sources(a))
    return all_substituted(stored_weights.sources(b), stored)


def solved(
    expressions: Mapping[str, Expression], values: Mapping[str, Expression]
) -> dict[str, Expression]:
    """The arrays that expressions read, by name, so that each gives its value of the same name.

    Those that do not follow wholly are left out: a sum of two arrays says nothing of either.
    """
    pieces: dict[str, list[_StoredPiece]] = {}
    for name, expression in expressions.items():
        if name in values:
            for piece in _pieces(expression, values[name]):
                pieces.setdefault(piece.name, []).append(piece)
    sizes = {
        str(part.step.name): part
        for expression in expressions.values()
        for part in in_order(expression)
        if part.step.op == "read"
    }
    joined = {name: _joined(sizes[name], some) for name, some in pieces.items()}
    return {name: one for name, one in joined.items() if one is not None}


def all_substituted(
    expressions: Mapping[str, Expression], given: Mapping[str, Expression]
) -> dict[str, Expression]:
    """Expressions with what they read replaced; those of which some is not given are left out."""
    replaced = {name: _substituted(one, given) for name, one in expressions.items()}
    return {name: one for name, one in replaced.items() if one is not None}


def _substituted(expression: Expression, given: Mapping[str, Expression]) -> Expression | None:
    """An expression with what it reads replaced; None where some of it is not given."""
    step = expression.step
    if step.op == "read":
        return given.get(str(step.name))
    parts = [_substituted(part, given) for part in expression.of]
    known = tuple(part for part in parts if part is not None)
    return Expression(step, expression.shape, known) if len(known) == len(parts) else None


def _pieces(expression: Expression, value: Expression) -> Iterator[_StoredPiece]:
    """What an expression reads, so that it gives a value."""
    step, of = expression.step, expression.of
    match step.op:
        case "read":
            yield _StoredPiece(str(step.name), value)
        case "slice" if of[0].step.op == "read":
            name, start, stop = str(of[0].step.name), step.start or 0, step.stop or 0
            yield _StoredPiece(name, value, step.axis or 0, start, stop)
        case "transpose":
            yield from _pieces(of[0], value.transpose(tuple(map(int, np.argsort(step.axes or ())))))
        case "reshape":
            yield from _pieces(of[0], value.reshape(of[0].shape))
        case "flip":
            yield from _pieces(of[0], value.flip(step.axes or ()))
        case "take" if sorted(step.indices or ()) == list(range(of[0].shape[step.axis or 0])):
            back = tuple(map(int, np.argsort(step.indices or ())))
            yield from _pieces(of[0], value.take(back, step.axis or 0))
        case "concatenate":
            axis, start = step.axis or 0, 0
            for part in of:
                stop = start + part.shape[axis]
                yield from _pieces(part, value.slice(axis, start, stop))
                start = stop
        case "add" | "subtract" | "multiply" | "divide":
            yield from _of_arithmetic(expression, value)


def _of_arithmetic(expression: Expression, value: Expression) -> Iterator[_StoredPiece]:
    """The same where an array is calculated with a number."""
    left, right = expression.of
    first, second = left.constant is not None, right.constant is not None
    if first == second or (left if second else right).shape != expression.shape:
        return
    part, other = (left, right) if second else (right, left)
    match expression.step.op:
        case "add":
            yield from _pieces(part, value - other)
        case "subtract":
            yield from _pieces(part, value + other if second else other - value)
        case "multiply" if other.constant:
            yield from _pieces(part, value / other)
        case "divide" if other.constant:
            yield from _pieces(part, value * other if second else other / value)


def _joined(stored: Expression, pieces: list[_StoredPiece]) -> Expression | None:
    """A stored array from what is known of it; None where some of it is not known."""
    whole = next((one.of for one in pieces if one.axis is None), None)
    if whole is not None:
        return whole
    axis, end = pieces[0].axis or 0, 0
    along = sorted((one for one in pieces if one.axis == axis), key=lambda one: one.start)
    for one in along:
        if one.start != end:
            return None
        end = one.stop
    return concatenate([one.of for one in along], axis) if end == stored.shape[axis] else None
