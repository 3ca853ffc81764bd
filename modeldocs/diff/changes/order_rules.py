"""The order of a layer's output elements, given the orders of its input elements, by operator.

Each function takes a pair of layers that read the same elements in two orders. It returns, for each
output, the order of the elements of B's output relative to A's; None where the two do not output
the same elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from modeldocs.diff.changes.operand_orders import known_sizes
from modeldocs.diff.function.arrangement import KEPT, Arrangement, Factored, Groups, Sizes, factored
from modeldocs.diff.function.canonical_op import CanonicalOp
from modeldocs.ir import Constant, Layer

_NEW: Final = -1
"""A factor of the output that the input does not have."""


@dataclass(frozen=True, slots=True)
class OperandOrders:
    """The operands of two layers in one slot: both shapes, and B's order relative to A's."""

    ours: Sizes
    theirs: Sizes
    order: Arrangement

    def factors(self) -> Factored | None:
        """The factors of both shapes."""
        return factored(self.order, self.ours, self.theirs)


Layers = tuple[tuple[Layer, CanonicalOp], tuple[Layer, CanonicalOp]]
"""A matched layer of A and of B, each with its function."""

Orders = list[Arrangement]


def elementwise(
    layers: Layers, reads: Sequence[OperandOrders]
) -> tuple[Orders, frozenset[str]] | None:
    """The output order of elementwise operators.

    The second result are attributes with the same constant in another order of axes.
    """
    shapes = _output_shapes(layers)
    main = shapes and next((read for read in reads if _fills(read, shapes[0])), None)
    if shapes is None or main is None:
        return None
    common = factored(main.order, *shapes)
    if common is None:
        return None
    for read in reads:
        if read is not main and not _broadcast_alike(read.ours, read.theirs, shapes, common, read):
            return None
    agreeing = set()
    attributes = dict(layers[0][1].declared), dict(layers[1][1].declared)
    for name in attributes[0].keys() & attributes[1].keys():
        constants = _constant_shapes(attributes[0][name], attributes[1][name])
        if constants is None:
            continue
        if _broadcast_alike(*constants, shapes, common):
            agreeing.add(name)
        elif attributes[0][name] == attributes[1][name]:
            return None
    learned = dict(layers[0][1].parameters), dict(layers[1][1].parameters)
    for role in learned[0].keys() & learned[1].keys():
        if not _broadcast_alike(learned[0][role], learned[1][role], shapes, common):
            return None
    return [main.order], frozenset(agreeing)


def _output_shapes(layers: Layers) -> tuple[Sizes, Sizes] | None:
    """The shapes of both outputs."""
    shapes = [known_sizes(layer.outputs[0].shape) if layer.outputs else None for layer, _ in layers]
    return None if shapes[0] is None or shapes[1] is None else (shapes[0], shapes[1])


def _fills(read: OperandOrders, shape: Sizes) -> bool:
    return [dim for dim in read.ours if dim > 1] == [dim for dim in shape if dim > 1]


def _constant_shapes(before: Any, after: Any) -> tuple[Sizes, Sizes] | None:
    """The shapes of two constants with equal values; None for others."""
    if not isinstance(before, Constant) or not isinstance(after, Constant):
        return None
    ours, theirs = known_sizes(before.shape), known_sizes(after.shape)
    if ours is None or theirs is None:
        return None
    same = (before.dtype, before.digest) == (after.dtype, after.digest)
    return (ours, theirs) if same else None


def _broadcast_alike(
    ours: Sizes,
    theirs: Sizes,
    shapes: tuple[Sizes, Sizes],
    common: Factored,
    read: OperandOrders | None = None,
) -> bool:
    """Whether an operand of fewer axes is combined with the same elements in both graphs."""
    before = _broadcast_factors(ours, shapes[0], common.ours)
    after = _broadcast_factors(theirs, shapes[1], common.theirs)
    if before is None or after is None or sorted(before) != sorted(after):
        return False
    sizes = tuple(common.sizes[one] for one in before)
    met = Arrangement(sizes, tuple(before.index(one) for one in after)).simplified()
    return met == (KEPT if read is None else read.order)


def _broadcast_factors(shape: Sizes, over: Sizes, groups: Groups) -> list[int] | None:
    """The factors along which an operand varies that is broadcast to the shape `over`."""
    while len(shape) > len(over) and shape[0] == 1:
        shape = shape[1:]
    if len(shape) > len(over):
        return None
    missing = len(over) - len(shape)
    factors: list[int] = []
    for axis, dim in enumerate(shape):
        if dim == over[missing + axis]:
            factors += groups[missing + axis]
        elif dim != 1:
            return None
    return factors


def along(layers: Layers, read: OperandOrders, ours: int, theirs: int) -> Orders | None:
    """The output order of operators that work along one axis, and alike at all other places."""
    shapes = _output_shapes(layers)
    if shapes is None or len(shapes[0]) != len(read.ours) or len(shapes[1]) != len(read.theirs):
        return None
    order = _of_one_axis(read, ours, theirs, shapes[0][ours])
    return None if order is None else [order]


def _with(groups: Groups, axis: int) -> list[int]:
    """The factors of all axes, with a new one for all those of one axis."""
    return [
        one for place, group in enumerate(groups) for one in ([_NEW] if place == axis else group)
    ]


def _order(common: Factored, before: list[int], after: list[int], new: int) -> Arrangement:
    """One list of factors relative to another; `new` is the size of `_NEW`."""
    sizes = tuple(new if one == _NEW else common.sizes[one] for one in before)
    return Arrangement(sizes, tuple(before.index(one) for one in after)).simplified()


def joined(layers: Layers, reads: Sequence[OperandOrders], ours: int, theirs: int) -> Orders | None:
    """The output order of a Concat along an axis of each graph."""
    shapes = _output_shapes(layers)
    if shapes is None or not reads:
        return None
    equal = len({(read.ours, read.theirs, read.order) for read in reads}) == 1
    if equal:
        common = reads[0].factors()
        if common is None:
            return None
        before = _before_axis(common.ours, ours)
        after = _before_axis(common.theirs, theirs)
        return [_order(common, before, after, len(reads))]
    orders = {_of_one_axis(read, ours, theirs, shapes[0][ours]) for read in reads}
    order = orders.pop() if len(orders) == 1 else None
    return None if order is None else [order]


def _before_axis(groups: Groups, axis: int) -> list[int]:
    """The factors of all axes, with a new one outside those of one axis."""
    return [
        one
        for place, group in enumerate(groups)
        for one in ([_NEW, *group] if place == axis else group)
    ]


def _of_one_axis(read: OperandOrders, ours: int, theirs: int, size: int) -> Arrangement | None:
    """The order where an axis is the same in both graphs, and gets another size."""
    common = read.factors()
    if common is None or common.ours[ours] != common.theirs[theirs]:
        return None
    return _order(common, _with(common.ours, ours), _with(common.theirs, theirs), size)


def split(read: OperandOrders, parts: int, ours: int, theirs: int) -> Orders | None:
    """The output orders of a Split into equal parts along an axis of each graph."""
    shapes = _in_parts(read.ours, ours, parts), _in_parts(read.theirs, theirs, parts)
    if shapes[0] is None or shapes[1] is None:
        return None
    common = factored(read.order, shapes[0], shapes[1])
    if common is None or common.ours[ours] != common.theirs[theirs]:
        return None
    sliced = set(common.ours[ours])
    before = [one for group in common.ours for one in group if one not in sliced]
    after = [one for group in common.theirs for one in group if one not in sliced]
    return [_order(common, before, after, 1)] * parts


def _in_parts(shape: Sizes, axis: int, parts: int) -> Sizes | None:
    """A shape with an axis in two: the number of the part, and the position in it."""
    if shape[axis] % parts:
        return None
    return (*shape[:axis], parts, shape[axis] // parts, *shape[axis + 1 :])


Range = tuple[int, int, int]
"""(axis, start, end) of a Slice of steps of 1."""


def sliced(read: OperandOrders, ours: Range, theirs: Range) -> Orders | None:
    """The output order of a Slice along one axis of each side.

    The axis of one side may stand for several axes of the other.
    """
    common = read.factors()
    if common is None:
        return None
    before = _outermost(common, common.ours[ours[0]], ours)
    after = _outermost(common, common.theirs[theirs[0]], theirs)
    if before is None or before != after:
        return None
    factor, start, end = before
    sizes = list(common.sizes)
    sizes[factor] = end - start
    kept = Factored(tuple(sizes), common.ours, common.theirs)
    flat = [[one for group in groups for one in group] for groups in (kept.ours, kept.theirs)]
    return [_order(kept, flat[0], flat[1], 1)]


def _outermost(common: Factored, group: list[int], bounds: Range) -> Range | None:
    """The bounds of a slice of an axis as those of its outermost factor."""
    if not group:
        return None
    size = common.size(group)
    start, end = (max(0, place + size if place < 0 else min(place, size)) for place in bounds[1:])
    inner = common.size(group[1:])
    if start % inner or end % inner or end <= start:
        return None
    return group[0], start // inner, end // inner
