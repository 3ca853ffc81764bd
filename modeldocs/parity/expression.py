"""Expressions of stored arrays: how a weight is computed, before any values are there.

An `Expression` has the methods of a numpy array. Weights go from port to port as expressions, so
that parity runs with exactly what a weight map tells a converter.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from modeldocs.diff import WeightStep
from modeldocs.normal import permutations

Shape = tuple[int, ...]

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "sqrt": np.sqrt,
}
_NEUTRAL = {"add": 0.0, "subtract": 0.0, "multiply": 1.0, "divide": 1.0}


@dataclass(frozen=True, eq=False)
class Expression:
    """An array computed by a step from its operands `of`; the step's own `of` is unset."""

    step: WeightStep
    shape: Shape
    of: tuple[Expression, ...] = ()

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def constant(self) -> float | None:
        """The value of all elements, where they are known to be equal."""
        return self.step.value

    def transpose(self, *axes: Any) -> Expression:
        """The array with its axes permuted, as numpy does it."""
        order = tuple(axes[0]) if axes and not isinstance(axes[0], int) else axes
        order = order or tuple(reversed(range(self.ndim)))
        shape = tuple(self.shape[axis] for axis in order)
        if self.constant is not None:
            return full(shape, self.constant)
        if self.step.op == "transpose" and self.step.axes is not None:
            return self.of[0].transpose(permutations.then(self.step.axes, order))
        if permutations.keeps_order(order, self.shape):
            return self.reshape(shape)
        return Expression(WeightStep(op="transpose", axes=order), shape, (self,))

    @property
    def T(self) -> Expression:  # noqa: N802 -- numpy's name
        """The array with its axes reversed."""
        return self.transpose()

    def reshape(self, *shape: Any) -> Expression:
        """The same elements in another shape; one axis may be -1."""
        dims = tuple(shape[0]) if shape and not isinstance(shape[0], int) else shape
        if -1 in dims:
            rest = -math.prod(dims)
            dims = tuple(self.size // max(rest, 1) if dim == -1 else dim for dim in dims)
        if dims == self.shape:
            return self
        if self.constant is not None:
            return full(dims, self.constant)
        if self.step.op == "reshape":
            return self.of[0].reshape(dims)
        return Expression(WeightStep(op="reshape", shape=dims), dims, (self,))

    def slice(self, axis: int, start: int, stop: int) -> Expression:
        """The elements from `start` to `stop` along an axis."""
        shape = (*self.shape[:axis], stop - start, *self.shape[axis + 1 :])
        if shape == self.shape:
            return self
        if self.constant is not None:
            return full(shape, self.constant)
        if self.step.op == "concatenate" and self.step.axis == axis:
            ends = list(
                itertools.accumulate((operand.shape[axis] for operand in self.of), initial=0)
            )
            exact = [
                part
                for part, bounds in zip(self.of, itertools.pairwise(ends), strict=True)
                if bounds == (start, stop)
            ]
            if exact:
                return exact[0]
        return Expression(WeightStep(op="slice", axis=axis, start=start, stop=stop), shape, (self,))

    def flip(self, axes: Sequence[int]) -> Expression:
        """The array reversed along some axes."""
        flipped = tuple(sorted(axis for axis in axes if self.shape[axis] > 1))
        if not flipped or self.constant is not None:
            return self
        if self.step.op == "flip" and self.step.axes is not None:
            return self.of[0].flip(sorted(set(flipped) ^ set(self.step.axes)))
        return Expression(WeightStep(op="flip", axes=flipped), self.shape, (self,))

    def take(self, indices: Sequence[int], axis: int) -> Expression:
        """The elements at some indices along an axis."""
        shape = (*self.shape[:axis], len(indices), *self.shape[axis + 1 :])
        step = WeightStep(op="take", axis=axis, indices=tuple(int(one) for one in indices))
        if self.constant is not None:
            return full(shape, self.constant)
        return Expression(step, shape, (self,))

    def __add__(self, other: Expression) -> Expression:
        return _binary("add", self, other)

    def __sub__(self, other: Expression) -> Expression:
        return _binary("subtract", self, other)

    def __mul__(self, other: Expression) -> Expression:
        return _binary("multiply", self, other)

    def __truediv__(self, other: Expression) -> Expression:
        return _binary("divide", self, other)

    def __neg__(self) -> Expression:
        return number(0.0) - self

    def steps(self) -> tuple[WeightStep, ...]:
        """The expression as a list of steps; what is used twice is computed once."""
        index: dict[int, int] = {}
        steps: list[WeightStep] = []
        for node in in_order(self):
            index[id(node)] = len(steps)
            steps.append(_numbered(node.step, tuple(index[id(part)] for part in node.of)))
        return tuple(steps)

    def reads(self) -> list[str]:
        """Names of the stored arrays that it reads."""
        return [str(part.step.name) for part in in_order(self) if part.step.op == "read"]


Values = TypeVar("Values", "np.ndarray[Any, Any]", Expression)
"""Arrays or expressions: what takes the one takes the other."""


def _numbered(step: WeightStep, of: tuple[int, ...]) -> WeightStep:
    fields = {name: getattr(step, name) for name in step.__struct_fields__}
    return WeightStep(**(fields | {"of": of}))


def in_order(expression: Expression) -> list[Expression]:
    """An expression and all its operands, each once and after its own operands."""
    ordered: dict[int, Expression] = {}
    waiting = [(expression, False)]
    while waiting:
        part, ready = waiting.pop()
        if id(part) in ordered:
            continue
        if ready or not part.of:
            ordered[id(part)] = part
        else:
            waiting.append((part, True))
            waiting += [(operand, False) for operand in reversed(part.of)]
    return list(ordered.values())


def read(name: str, shape: Shape) -> Expression:
    """A stored array."""
    return Expression(WeightStep(op="read", name=name), shape)


def full(shape: Shape, value: float) -> Expression:
    """An array of one value."""
    return Expression(WeightStep(op="full", shape=shape, value=float(value)), shape)


def number(value: float) -> Expression:
    """A scalar."""
    return full((), value)


def sqrt(of: Expression) -> Expression:
    """The square root of every element."""
    if of.constant is not None:
        return full(of.shape, math.sqrt(of.constant))
    return Expression(WeightStep(op="sqrt"), of.shape, (of,))


def concatenate(parts: Sequence[Expression], axis: int = 0) -> Expression:
    """Arrays joined along an axis."""
    if len(parts) == 1:
        return parts[0]
    shape = list(parts[0].shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    if len({part.constant for part in parts}) == 1 and parts[0].constant is not None:
        return full(tuple(shape), parts[0].constant)
    return Expression(WeightStep(op="concatenate", axis=axis), tuple(shape), tuple(parts))


def broadcast(one: Expression, shape: Shape) -> Expression:
    """An array broadcast to a shape."""
    if one.shape == shape:
        return one
    if one.constant is not None:
        return full(shape, one.constant)
    return Expression(WeightStep(op="add"), shape, (one, full(shape, 0.0)))


def _binary(op: str, left: Expression, right: Expression) -> Expression:
    shape = tuple(np.broadcast_shapes(left.shape, right.shape))
    if left.constant is not None and right.constant is not None:
        return full(shape, float(ARITHMETIC[op](left.constant, right.constant)))
    if right.constant == _NEUTRAL[op] and left.shape == shape:
        return left
    if op in ("add", "multiply") and left.constant == _NEUTRAL[op] and right.shape == shape:
        return right
    return Expression(WeightStep(op=op), shape, (left, right))
