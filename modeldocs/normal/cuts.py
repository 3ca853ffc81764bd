"""Tensors that are cut in pieces, however they are: one Split.

Queries, keys and values of one projection come by Split, by Slices, or by a Gather for each behind
a Reshape and a Transpose. A piece takes `size` elements of every `period`, from `offset` on; where
the pieces of a tensor together are all of it, they are the outputs of one Split.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import cutting, rearrangements, values, views
from modeldocs.normal.building import Builder
from modeldocs.normal.views import View

_OPERAND_SINCE, _COUNTED_SINCE = 13, 18
"""Operator sets since which Split takes its sizes as an operand, and a count of outputs."""


@dataclass(frozen=True)
class _Piece:
    """One output of a cut: what it is of its root, and where it lies in each period."""

    value: ir.Value
    node: ir.Node
    view: View
    period: int
    offset: int
    size: int

    @property
    def range(self) -> tuple[int, int]:
        """Offset and size, as one."""
        return self.offset, self.size


def join(model: ir.Model) -> None:
    """Put one Split in place of the cuts of a tensor that together take all of it."""
    builder = Builder(model.graph)
    positions = {node: index for index, node in enumerate(model.graph)}
    made = [value for node in model.graph for value in node.outputs]
    moved = [value for value in made if values.is_operator(value.producer(), *views.MOVES)]
    computed = dict.fromkeys([*model.graph.inputs, *made])
    for value in moved:
        del computed[value]
    roots = deque(computed)
    roots.extend(moved)  # What is cut across the axes of its root may be cut along its own.
    while roots:
        root = roots.popleft()
        maker = root.producer()
        if maker is not None and maker.graph is None:
            continue
        found: dict[int, list[_Piece]] = defaultdict(list)
        for piece in _pieces(root, builder):
            if piece.node in positions:
                found[piece.period].append(piece)
        for pieces in found.values():
            nodes = sorted({piece.node for piece in pieces}, key=positions.__getitem__)
            roots.extendleft(_split(root, pieces, nodes, builder))


def _pieces(root: ir.Value, builder: Builder) -> Iterator[_Piece]:
    """What is cut from a tensor behind any Reshapes and Transposes."""
    if not root.uses() or not rearrangements.is_computed(root):
        return
    waiting = [(root, views.whole(root))]
    while waiting:
        value, view = waiting.pop()
        for node in (use.node for use in value.uses()) if view is not None else ():
            if view is None or node.inputs[0] is not value:
                continue
            if values.is_operator(node, *views.MOVES):
                waiting.append((node.outputs[0], views.moved(view, node)))
            elif values.is_operator(node, *cutting.CUTS):
                for output, made in cutting.of(node, view, builder):
                    piece = _piece(output, node, made)
                    if piece is not None:
                        yield piece


def _piece(value: ir.Value, node: ir.Node, view: View) -> _Piece | None:
    """Where a view lies in each period, if it is the same stretch of every one."""
    total = views.elements(view.root)
    inner, steps = 1, list(view.steps)
    if steps and steps[-1][0] == 1:
        inner = steps.pop()[1]
    period = steps[-1][0] if steps else total
    whole = views.joined([*steps, (1, period)]) == views.joined([(1, total)])
    if not whole or inner == period or view.offset + inner > period:
        return None
    return _Piece(value, node, view, period, view.offset, inner)


def _split(
    root: ir.Value, pieces: list[_Piece], nodes: list[ir.Node], builder: Builder
) -> Sequence[ir.Value]:
    """One Split of the root before the first of the nodes that cut it, if they cut all of it.

    Its outputs; none where it was not made.
    """
    ranges = sorted({piece.range for piece in pieces})
    ends = [0, *(offset + size for offset, size in ranges)]
    period, dims = pieces[0].period, values.shape(root) or ()
    if ends[-1] != period or ends[:-1] != [offset for offset, _ in ranges]:
        return ()
    axis = _axis(dims, period, ends)
    if axis is None:
        return ()
    unit = views.strides(dims)[axis]
    outer = unit * dims[axis] // period
    apart = (*dims[:axis], outer, period // unit, *dims[axis + 1 :])
    source, axis = (root, axis) if outer == 1 else (None, axis + 1)
    if _is_split(nodes, apart if outer > 1 else dims, axis):
        return ()
    if source is None:
        source = builder.before(nodes[0], builder.reshape(root, apart))
    made = _node(source, axis, [size // unit for _, size in ranges], builder)
    origin.merge(made, *nodes)
    builder.graph.insert_before(nodes[0], made)
    for piece in pieces:
        if piece.node.graph is None:
            continue  # gone with what was read of it: nothing reads this piece
        _lead(made.outputs[ranges.index(piece.range)], piece, builder)
    return made.outputs


def _axis(dims: tuple[int, ...], period: int, ends: list[int]) -> int | None:
    """The outermost axis along which a tensor can be cut so."""
    for axis, stride in enumerate(views.strides(dims)):
        length = stride * dims[axis]
        if length % period == 0 and period % stride == 0 and not any(end % stride for end in ends):
            return axis
    return None


def _is_split(nodes: list[ir.Node], dims: tuple[int, ...], axis: int) -> bool:
    """Whether they are one Split already, of a tensor in these dimensions, along the axis."""
    node = nodes[0]
    if len(nodes) > 1 or node.op_type != "Split" or values.shape(node.inputs[0]) != dims:
        return False
    return int(values.attribute(node, "axis", 0)) % len(dims) == axis


def _node(source: ir.Value, axis: int, sizes: list[int], builder: Builder) -> ir.Node:
    """A Split, not in the graph."""
    attributes = [ir.AttrInt64("axis", axis)]
    operands, even = [source], len(set(sizes)) == 1
    if even and builder.opset >= _COUNTED_SINCE:
        attributes.append(ir.AttrInt64("num_outputs", len(sizes)))
    elif not even and builder.opset >= _OPERAND_SINCE:
        operands.append(builder.numbers(sizes, "split/" + ",".join(map(str, sizes))))
    elif not even:
        attributes.append(ir.AttrInt64s("split", sizes))
    made = ir.Node("", "Split", operands, attributes, num_outputs=len(sizes))
    dims = values.shape(source) or ()
    for output, size in zip(made.outputs, sizes, strict=True):
        output.name = builder.name(f"{source.name}/Split")
        output.shape, output.type = ir.Shape((*dims[:axis], size, *dims[axis + 1 :])), source.type
    return made


def _lead(part: ir.Value, piece: _Piece, builder: Builder) -> None:
    """Let what read a piece read the output of the Split that has it."""
    view = piece.view
    axes = tuple(
        tuple(
            (stride // piece.period * piece.size if stride >= piece.period else stride, size)
            for stride, size in steps
        )
        for steps in view.axes
    )
    way = views.way(View(part, axes))
    assert way is not None
    made = rearrangements.along(part, way, piece.node, builder)
    rearrangements.put(made, piece.value, builder)
