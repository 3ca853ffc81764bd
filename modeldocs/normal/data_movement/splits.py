"""Pieces that together are all of a tensor, as outputs of one Split.

Queries, keys and values of one projection are cut by a Split, by Slices, or by one Gather each
behind a Reshape and a Transpose. A piece has `size` elements of every `period`, from `offset` on.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import reshape_transpose, slice_views, strided_views
from modeldocs.normal.data_movement.strided_views import View


@dataclass(frozen=True)
class _SplitPiece:
    """One output of a cut: a view of its root, and its range in each period."""

    value: ir.Value
    node: ir.Node
    view: View
    period: int
    offset: int
    size: int

    @property
    def range(self) -> tuple[int, int]:
        """Offset and size."""
        return self.offset, self.size


def join(model: ir.Model) -> None:
    """Replace the cuts of a tensor whose outputs together are all of it by one Split."""
    builder = GraphBuilder(model.graph)
    positions = {node: index for index, node in enumerate(model.graph)}
    outputs = [value for node in model.graph for value in node.outputs]
    moved = [
        value for value in outputs if values.is_operator(value.producer(), *strided_views.MOVES)
    ]
    computed = dict.fromkeys([*model.graph.inputs, *outputs])
    for value in moved:
        del computed[value]
    roots = deque(computed)
    roots.extend(moved)  # A cut across several axes of the root may be one along an axis of these.
    while roots:
        root = roots.popleft()
        producer = root.producer()
        if producer is not None and producer.graph is None:
            continue
        by_period: dict[int, list[_SplitPiece]] = defaultdict(list)
        for piece in _pieces(root):
            if piece.node in positions:
                by_period[piece.period].append(piece)
        for pieces in by_period.values():
            nodes = sorted({piece.node for piece in pieces}, key=positions.__getitem__)
            roots.extendleft(_split(root, pieces, nodes, builder))


def _pieces(root: ir.Value) -> Iterator[_SplitPiece]:
    """The pieces that are cut from a tensor, behind any Reshapes and Transposes."""
    if not root.uses() or not reshape_transpose.is_computed(root):
        return
    pending = [(root, strided_views.whole(root))]
    while pending:
        value, view = pending.pop()
        for node in (use.node for use in value.uses()) if view is not None else ():
            if view is None or node.inputs[0] is not value:
                continue
            if values.is_operator(node, *strided_views.MOVES):
                pending.append((node.outputs[0], strided_views.through(view, node)))
            elif values.is_operator(node, *slice_views.CUTS):
                for output, output_view in slice_views.outputs(node, view):
                    piece = _piece(output, node, output_view)
                    if piece is not None:
                        yield piece


def _piece(value: ir.Value, node: ir.Node, view: View) -> _SplitPiece | None:
    """A view as a piece, if it is the same range of every period of its root."""
    total = strided_views.elements(view.root)
    inner, steps = 1, list(view.steps)
    if steps and steps[-1][0] == 1:
        inner = steps.pop()[1]
    period = steps[-1][0] if steps else total
    covers_root = strided_views.joined([*steps, (1, period)]) == strided_views.joined([(1, total)])
    if not covers_root or inner == period or view.offset + inner > period:
        return None
    return _SplitPiece(value, node, view, period, view.offset, inner)


def _split(
    root: ir.Value, pieces: list[_SplitPiece], nodes: list[ir.Node], builder: GraphBuilder
) -> Sequence[ir.Value]:
    """Insert one Split of the root before the first of its cuts, if the pieces are all of it.

    Its outputs; none where no Split is inserted.
    """
    ranges = sorted({piece.range for piece in pieces})
    ends = [0, *(offset + size for offset, size in ranges)]
    period, dims = pieces[0].period, values.shape(root) or ()
    if ends[-1] != period or ends[:-1] != [offset for offset, _ in ranges]:
        return ()
    axis = _axis(dims, period, ends)
    if axis is None:
        return ()
    unit = strided_views.strides(dims)[axis]
    outer = unit * dims[axis] // period
    split_dims = (*dims[:axis], outer, period // unit, *dims[axis + 1 :])
    source, axis = (root, axis) if outer == 1 else (None, axis + 1)
    if _is_split(nodes, split_dims if outer > 1 else dims, axis):
        return ()
    if source is None:
        source = builder.before(nodes[0], builder.reshape(root, split_dims))
    split = builder.split(source, axis, [size // unit for _, size in ranges])
    origin.merge(split, *nodes)
    builder.graph.insert_before(nodes[0], split)
    for piece in pieces:
        if piece.node.graph is None:
            continue  # already removed: nothing reads this piece
        _replace(piece, split.outputs[ranges.index(piece.range)], builder)
    return split.outputs


def _axis(dims: tuple[int, ...], period: int, ends: list[int]) -> int | None:
    """The outermost axis along which a tensor can be cut at these ends of every period."""
    for axis, stride in enumerate(strided_views.strides(dims)):
        length = stride * dims[axis]
        if length % period == 0 and period % stride == 0 and not any(end % stride for end in ends):
            return axis
    return None


def _is_split(nodes: list[ir.Node], dims: tuple[int, ...], axis: int) -> bool:
    """Whether they are one Split already, of a tensor of these dimensions along the axis."""
    node = nodes[0]
    if len(nodes) > 1 or node.op_type != "Split" or values.shape(node.inputs[0]) != dims:
        return False
    return int(values.attribute(node, "axis", 0)) % len(dims) == axis


def _replace(piece: _SplitPiece, output: ir.Value, builder: GraphBuilder) -> None:
    """Replace a piece by the output of the Split with its elements."""
    view = piece.view
    axes = tuple(
        tuple(
            (stride // piece.period * piece.size if stride >= piece.period else stride, size)
            for stride, size in steps
        )
        for steps in view.axes
    )
    path = strided_views.path(View(output, axes))
    assert path is not None
    value = reshape_transpose.follow(output, path, piece.node, builder)
    reshape_transpose.replace(piece.value, value, builder)
