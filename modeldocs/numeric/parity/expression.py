"""Expressions of stored arrays: how a weight is computed, before any values are there.

An `Expression` has the methods of a numpy array. Weights go from port to port as expressions, so
that parity runs with exactly what a weight map tells a converter.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from modeldocs.diff import WeightStep
from modeldocs.normal.data_movement import permutations

Shape = tuple[int, ...]

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "sqrt": np.sqrt,
}
_INVERSE = {"add": "subtract", "subtract": "add", "multiply": "divide", "divide": "multiply"}
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
        joined = self.step.op == "concatenate" and all(p.step.op == "transpose" for p in self.of)
        if joined and self.step.axis is not None:
            parts = [part.transpose(order) for part in self.of]
            return concatenate(parts, order.index(self.step.axis))
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
        if self.step.op == "add" and all(part.shape == self.shape for part in self.of):
            return self.of[0].reshape(dims) + self.of[1].reshape(dims)
        axis = same_axis(self.shape, dims, self.step.axis or 0)
        if self.step.op == "concatenate" and axis is not None:
            shapes = [
                (*dims[:axis], part.shape[self.step.axis or 0], *dims[axis + 1 :])
                for part in self.of
            ]
            return concatenate(
                [part.reshape(one) for part, one in zip(self.of, shapes, strict=True)], axis
            )
        return Expression(WeightStep(op="reshape", shape=dims), dims, (self,))

    def slice(self, axis: int, start: int, stop: int) -> Expression:
        """The elements from `start` to `stop` along an axis, taken as early as they can be."""
        shape = (*self.shape[:axis], stop - start, *self.shape[axis + 1 :])
        if shape == self.shape:
            return self
        if self.constant is not None:
            return full(shape, self.constant)
        inner = _sliced_operands(self, axis, start, stop)
        if inner is not None:
            return inner
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
        if list(indices) == list(range(self.shape[axis])):
            return self
        shape = (*self.shape[:axis], len(indices), *self.shape[axis + 1 :])
        step = WeightStep(op="take", axis=axis, indices=tuple(int(one) for one in indices))
        if self.constant is not None:
            return full(shape, self.constant)
        return Expression(step, shape, (self,))

    def __add__(self, other: Expression) -> Expression:
        return calculated("add", self, other)

    def __sub__(self, other: Expression) -> Expression:
        return calculated("subtract", self, other)

    def __mul__(self, other: Expression) -> Expression:
        return calculated("multiply", self, other)

    def __truediv__(self, other: Expression) -> Expression:
        return calculated("divide", self, other)

    def affine(self, factor: float, offset: float) -> Expression:
        """`factor` times the array, plus `offset`."""
        return self * full(self.shape, factor) + full(self.shape, offset)

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


def weight_norm(direction: Expression, length: Expression, axes: Shape) -> Expression:
    """A weight of a direction and its length: its norm over some axes."""
    step = WeightStep(op="weight_norm", axes=tuple(axes))
    return Expression(step, direction.shape, (direction, length))


def norm_over(of: Expression, axes: Shape) -> Expression:
    """The norm over some axes, which stay with one element."""
    if of.step.op == "weight_norm" and of.step.axes == tuple(axes):
        return of.of[1]
    shape = tuple(1 if axis in axes else size for axis, size in enumerate(of.shape))
    return Expression(WeightStep(op="norm", axes=tuple(axes)), shape, (of,))


def direction(of: Expression, axes: Shape) -> Expression:
    """An array of the same direction, over some axes: that which it was computed of, or itself."""
    is_normed = of.step.op == "weight_norm" and of.step.axes == tuple(axes)
    return of.of[0] if is_normed else of


def concatenate(parts: Sequence[Expression], axis: int = 0) -> Expression:
    """Arrays joined along an axis; pieces that follow each other in an array are one piece."""
    pieces: list[Expression] = []
    for part in itertools.chain.from_iterable(_pieces(part, axis) for part in parts):
        whole = _joined(pieces[-1], part, axis) if pieces else None
        pieces[-1:] = [whole] if whole is not None else [*pieces[-1:], part]
    if len(pieces) == 1:
        return pieces[0]
    shape = list(pieces[0].shape)
    shape[axis] = sum(piece.shape[axis] for piece in pieces)
    steps = {piece.step for piece in pieces if piece.of}
    if len(steps) == 1 and all(piece.of for piece in pieces):
        (step,) = steps
        if step.op == "transpose" and step.axes is not None:
            inner = concatenate([piece.of[0] for piece in pieces], step.axes[axis])
            if inner.step.op != "concatenate":
                return inner.transpose(step.axes)
        if step.op == "add" and all(of.shape == one.shape for one in pieces for of in one.of):
            left, right = ([piece.of[side] for piece in pieces] for side in (0, 1))
            return concatenate(left, axis) + concatenate(right, axis)
    return Expression(WeightStep(op="concatenate", axis=axis), tuple(shape), tuple(pieces))


def _pieces(part: Expression, axis: int) -> tuple[Expression, ...]:
    """The parts of an array that is itself joined along that axis; else the array."""
    is_joined = part.step.op == "concatenate" and part.step.axis == axis
    return part.of if is_joined else (part,)


def _joined(first: Expression, second: Expression, axis: int) -> Expression | None:
    """Two neighbours along an axis as one piece of the array that both are cut from, or None."""
    if first.constant is not None and first.constant == second.constant:
        shape = list(first.shape)
        shape[axis] += second.shape[axis]
        return full(tuple(shape), first.constant)
    one, other = first.step, second.step
    is_cut = one.op == other.op == "slice" and one.axis == other.axis == axis
    if not is_cut or one.stop != other.start or not _is_same(first.of[0], second.of[0]):
        return None
    return first.of[0].slice(axis, one.start or 0, other.stop or 0)


def _is_same(left: Expression, right: Expression) -> bool:
    """Whether two expressions are the same computation."""
    if left is right:
        return True
    if left.step != right.step or left.shape != right.shape or len(left.of) != len(right.of):
        return False
    return all(_is_same(*both) for both in zip(left.of, right.of, strict=True))


def _sliced_operands(whole: Expression, axis: int, start: int, stop: int) -> Expression | None:
    """A slice of a computed array, computed of slices of its operands; None where it is not so."""
    step = whole.step
    if step.op == "slice" and step.axis == axis:
        first = step.start or 0
        return whole.of[0].slice(axis, first + start, first + stop)
    if step.op == "take" and step.axis == axis and step.indices is not None:
        return whole.of[0].take(step.indices[start:stop], axis)
    if step.op == "concatenate" and step.axis != axis:
        return concatenate([part.slice(axis, start, stop) for part in whole.of], step.axis or 0)
    if step.op == "concatenate":
        return concatenate(list(_overlapping(whole.of, axis, start, stop)), axis)
    if step.op == "transpose" and step.axes is not None:
        return whole.of[0].slice(step.axes[axis], start, stop).transpose(step.axes)
    if step.op == "reshape":
        inner = same_axis(whole.shape, whole.of[0].shape, axis)
        shape = (*whole.shape[:axis], stop - start, *whole.shape[axis + 1 :])
        if inner is None:
            return _sliced_block(whole, axis, start, stop)
        return whole.of[0].slice(inner, start, stop).reshape(shape)
    if step.op == "add" and all(part.shape == whole.shape for part in whole.of):
        left, right = (part.slice(axis, start, stop) for part in whole.of)
        return left + right
    return None


def _sliced_block(whole: Expression, axis: int, start: int, stop: int) -> Expression | None:
    """A slice along an axis that is two axes merged, if it is one of the blocks of the first, or
    along an axis that is the first of two that are one axis of the operand.
    """
    inner, shape = whole.of[0], whole.shape
    before = math.prod(shape[:axis])
    cut = (*shape[:axis], stop - start, *shape[axis + 1 :])
    for place, size in enumerate(inner.shape if axis + 1 < len(shape) else ()):
        width = shape[axis + 1]
        if math.prod(inner.shape[:place]) == before and size == shape[axis] * width:
            return inner.slice(place, start * width, stop * width).reshape(cut)
    for place, size in enumerate(inner.shape[1:], start=1):
        is_merged = (
            math.prod(inner.shape[: place - 1]) == before
            and inner.shape[place - 1] * size == shape[axis]
        )
        if is_merged and start % size == 0 and stop - start == size:
            block = inner.slice(place - 1, start // size, start // size + 1)
            return block.reshape(cut)
    return None


def same_axis(shape: Shape, other: Shape, axis: int) -> int | None:
    """Where an axis is in a shape that only has other axes of size one; None in other shapes."""
    wide = [place for place, size in enumerate(shape) if size != 1]
    places = [place for place, size in enumerate(other) if size != 1]
    if axis not in wide or [shape[place] for place in wide] != [other[place] for place in places]:
        return None
    return places[wide.index(axis)]


def _overlapping(
    parts: Sequence[Expression], axis: int, start: int, stop: int
) -> Iterator[Expression]:
    """What lies from `start` to `stop` of arrays that are joined along an axis."""
    before = 0
    for part in parts:
        after = before + part.shape[axis]
        if max(start, before) < min(stop, after):
            yield part.slice(axis, max(start, before) - before, min(stop, after) - before)
        before = after


def broadcast(one: Expression, shape: Shape) -> Expression:
    """An array broadcast to a shape."""
    if one.shape == shape:
        return one
    if one.constant is not None:
        return full(shape, one.constant)
    return Expression(WeightStep(op="add"), shape, (one, full(shape, 0.0)))


def calculated(op: str, left: Expression, right: Expression) -> Expression:
    """Two arrays with an operation of `ARITHMETIC` between them, broadcast."""
    shape = tuple(np.broadcast_shapes(left.shape, right.shape))
    if left.constant is not None and right.constant is not None:
        return full(shape, float(ARITHMETIC[op](left.constant, right.constant)))
    if right.constant == _NEUTRAL[op] and left.shape == shape:
        return left
    if op in ("add", "multiply") and left.constant == _NEUTRAL[op] and right.shape == shape:
        return right
    undone = left.step.op == _INVERSE[op] and left.of[0].shape == shape
    if undone and right.constant is not None and left.of[1].constant == right.constant:
        return left.of[0]
    return Expression(WeightStep(op=op), shape, (left, right))
