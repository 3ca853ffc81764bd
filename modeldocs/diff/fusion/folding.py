"""Norms, factors, shifts and biases that one graph has folded into the layer before them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.alignment.matching import operator_of
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.fusion.view import FusionView, Nodes, read, readers
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_NORM: Final = "BatchNormalization"


@dataclass(frozen=True)
class _FusedRow:
    """A layer, and the row of layers that it may stand for, the first one first.

    `dense` is any product with a weight. Where the `consequence` is spelling, both have the same
    number of parameters.
    """

    layer: str
    row: tuple[str, ...]
    consequence: str = "parameters"


_FOLDINGS: Final = (
    _FusedRow("Conv", ("Conv", _NORM, "Mul", "Add")),
    _FusedRow("Conv", ("Conv", _NORM, "Mul")),
    _FusedRow("Conv", ("Conv", "Mul", "Add")),
    _FusedRow("Conv", ("Conv", _NORM)),
    _FusedRow("Conv", ("Conv", "Add"), "spelling"),
    _FusedRow("ConvTranspose", ("ConvTranspose", _NORM)),
    _FusedRow("dense", ("dense", _NORM)),
    _FusedRow("dense", ("dense", "Add"), "spelling"),
    _FusedRow(_NORM, (_NORM, "Mul", "Add"), "spelling"),
    _FusedRow(_NORM, ("Mul", "Add")),
)
"""Longer rows come first."""


def find(view: FusionView) -> None:
    """Group each row of layers with the layer that they are folded into."""
    for last in _lasts(view):
        for folding in _FOLDINGS:
            row = _row(view.decomposed, last, folding.row)
            if row is not None and _group_if_folded(view, row, folding):
                break


def _lasts(view: FusionView) -> Iterator[int]:
    """Nodes that may end a row, the last first: unmatched ones, and what is behind these."""
    wanted: set[int] = set()
    waiting = view.unmatched_decomposed()
    for _ in range(max(len(one.row) for one in _FOLDINGS)):
        waiting = [x for x in waiting if x not in wanted]
        wanted.update(waiting)
        waiting = list(dict.fromkeys(user for x in waiting for _, user in view.decomposed.users[x]))
    return iter(sorted(wanted, reverse=True))


def _row(graph: IndexedGraph, last: int, operators: tuple[str, ...]) -> Nodes | None:
    """The nodes of a row that ends at one, where each is read by the next alone."""
    row = [last]
    for place, operator in enumerate(reversed(operators)):
        node = row[-1]
        if operator not in (graph.ops[node].operator, operator_of(graph, node)):
            return None
        if place and readers(graph, node) != [row[-2]]:
            return None
        sources = read(graph, node)
        if len(sources) != 1:
            return None
        if operator in ("Mul", "Add") and not _one_per_channel(
            graph, node, last=operators[0] == "dense"
        ):
            return None
        row.append(sources[0])
    return tuple(row[-2::-1])


def _one_per_channel(graph: IndexedGraph, node: int, *, last: bool) -> bool:
    """Whether the learned operand of a node has one value a channel, which may be the last axis."""
    shape = dict(graph.ops[node].parameters).get("B")
    if shape is None:
        return False
    wide = [axis for axis, size in enumerate(shape) if size > 1]
    return len(wide) <= 1 and (not last or wide in ([], [len(shape) - 1]))


def _group_if_folded(view: FusionView, row: Nodes, folding: _FusedRow) -> bool:
    source = read(view.decomposed, row[0])[0]
    candidates = _candidates(view, row, source)
    fits = (y for y in candidates if y >= 0 and view.fused_graph.ops[y].operator == folding.layer)
    fused = next(fits, None)
    if fused is None or not view.are_ungrouped(row, (fused,)):
        return False
    if not view.are_closed(row, (fused,)) or not _meets(view, row, source, fused):
        return False
    if folding.consequence == "spelling" and not view.learn_equally(row, (fused,), but="weight"):
        return False
    operators = tuple(operator_of(view.decomposed, node) for node in row)
    compositions = FusedGroup(operators=operators), _with_bias(view.fused_graph, fused)
    view.group(row, (fused,), compositions, folding.consequence)
    return True


def _candidates(view: FusionView, row: Nodes, source: int) -> Iterator[int]:
    """Nodes of the fused graph that the row may be folded into, the likeliest first."""
    yield from (view.to_fused[x] for x in row)
    if view.to_fused[source] >= 0:
        yield from readers(view.fused_graph, view.to_fused[source])
    for x in readers(view.decomposed, row[-1]):
        if x >= 0 and view.to_fused[x] >= 0:
            yield from read(view.fused_graph, view.to_fused[x])


def _meets(view: FusionView, row: Nodes, source: int, fused: int) -> bool:
    """Whether the fused layer has the counterparts of what the row reads, and of its readers.

    One that is matched with a part of it does. But a norm that is at another place of the fused
    graph has moved, and is not folded into the layer.
    """
    if view.to_decomposed[fused] in row:
        if _learns_after(view, fused):
            return False
        norms = any(view.decomposed.ops[node].operator == _NORM for node in row)
        return not norms or _may_fold(view, fused)
    fed = {view.to_fused[x] for x in readers(view.decomposed, row[-1]) if x >= 0} - {-1}
    wanted, users = view.to_fused[source], readers(view.fused_graph, fused)
    return (wanted < 0 or wanted in read(view.fused_graph, fused)) and (
        not fed or bool(fed & set(users))
    )


def _may_fold(view: FusionView, fused: int) -> bool:
    """Whether a norm may be folded into a layer: it has a bias, or its graph has no norms."""
    return "bias" in dict(view.fused_graph.ops[fused].parameters) or _NORM not in view.operators


def _learns_after(view: FusionView, fused: int) -> bool:
    """Whether an unmatched layer directly after a layer has the row's parameters."""
    after = (y for y in readers(view.fused_graph, fused) if y >= 0 and view.to_decomposed[y] < 0)
    return any(view.fused_graph.ops[y].parameters for y in after)


def _with_bias(graph: IndexedGraph, fused: int) -> FusedGroup:
    """The fused layer, and whether it has a bias."""
    parameters = dict(graph.ops[fused].parameters)
    bias = "bias" in parameters if "weight" in parameters else None
    return FusedGroup(operators=(operator_of(graph, fused),), bias=bias)
