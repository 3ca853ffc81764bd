"""Layers that spell a pattern on one side, and the fused layer on the other."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, Final

from modeldocs.diff.alignment.matching import operator_of
from modeldocs.diff.composition import Composition
from modeldocs.diff.function.attributes import COMMUTATIVE
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.regrouped.facing import Facing, read, readers
from modeldocs.diff.regrouped.patterns import PATTERNS, Pattern, Term

_NORM: Final = "BatchNormalization"
_DEEP: Final = 8
"""Layers of the longest pattern from its first to its last."""


def _by_operator() -> dict[str, list[Pattern]]:
    """Patterns by the operator of their last layer, the longest first."""
    found: dict[str, list[Pattern]] = defaultdict(list)
    for pattern in sorted(PATTERNS, key=lambda pattern: -len(pattern.text)):
        found[pattern.term.name].append(pattern)
    return found


_PATTERNS: Final = _by_operator()


@dataclass(slots=True)
class _Reading:
    """A pattern as it was found: the nodes, what the variables stand for, constants taken."""

    nodes: list[int] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    taken: dict[str, Any] = field(default_factory=dict)


def find(facing: Facing) -> None:
    """Group what one side has in pieces and the other fused."""
    for root in _roots(facing):
        names = {facing.many.ops[root].operator, operator_of(facing.many, root)}
        for pattern in (one for name in sorted(names) for one in _PATTERNS.get(name, ())):
            if _grouped(facing, root, pattern):
                break


def _roots(facing: Facing) -> Iterator[int]:
    """Nodes that may end a pattern: free ones, and those a free one leads to."""
    wanted: set[int] = set()
    waiting = facing.free()
    for _ in range(_DEEP):
        waiting = [x for x in waiting if x not in wanted]
        wanted.update(waiting)
        near = (user for x in waiting for _, user in facing.many.users[x])
        waiting = list(dict.fromkeys(near))
    return iter(sorted(wanted, reverse=True))


def _grouped(facing: Facing, root: int, pattern: Pattern) -> bool:
    found = _Reading()
    if not _reads(facing.many, root, pattern.term, found):
        return False
    nodes = tuple(sorted(set(found.nodes)))
    inner = set(nodes) - {root}
    if any(not set(readers(facing.many, x)) <= set(nodes) for x in inner):
        return False
    fused = next((y for y in _candidates(facing, root, found) if _fits(facing, pattern, y)), None)
    if fused is None or not facing.untaken(nodes, (fused,)):
        return False
    beside = _mistaken(facing, root, fused, found)
    if not facing.closed((*nodes, *beside), (fused,)):
        return False
    if facing.to_many[fused] in nodes and len(nodes) == 1:
        return False
    if not _agree(facing.few, fused, found) or not (beside or _meets(facing, root, fused, found)):
        return False
    if pattern.means == "spelling" and not facing.even(nodes, (fused,), but="weight"):
        return False
    told = (_told(facing.many, nodes), _with_bias(facing.few, fused))
    facing.group(nodes, (fused,), told, pattern.means, loose=beside)
    return True


def _mistaken(facing: Facing, root: int, fused: int, found: _Reading) -> tuple[int, ...]:
    """The layer right before or behind the pieces that the fused one, which is none, is matched to.

    An activation that was put in before a Gelu in pieces is as near to the Gelu as they are.
    """
    at = facing.to_many[fused]
    near = {*found.values.values(), *readers(facing.many, root)} - {*found.nodes}
    if at not in near or facing.few.ops[fused].parameters or facing.many.ops[at].parameters:
        return ()
    return () if facing.many.ops[at].operator == facing.few.ops[fused].operator else (at,)


def _reads(graph: IndexedGraph, node: int, term: Term, found: _Reading) -> bool:
    """Whether a node is what a term wants, with all that it reads."""
    if term.variable:
        return found.values.setdefault(term.name, node) == node
    op = graph.ops[node]
    sources = read(graph, node)
    if term.name not in (op.operator, operator_of(graph, node)):
        return False
    if len(sources) != len(term.operands):
        return False
    if not all(_a_channel(dict(op.parameters).get(role)) for role in term.learned):
        return False
    if not all(_holds(dict(op.declared), name, value, found) for name, value in term.wanted):
        return False
    found.nodes.append(node)
    orders = permutations(sources) if op.operator in COMMUTATIVE else [tuple(sources)]
    return any(_all_read(graph, order, term, found) for order in orders)


def _all_read(graph: IndexedGraph, sources: tuple[int, ...], term: Term, found: _Reading) -> bool:
    before = list(found.nodes), dict(found.values), dict(found.taken)
    if all(_reads(graph, x, y, found) for x, y in zip(sources, term.operands, strict=True)):
        return True
    found.nodes, found.values, found.taken = before
    return False


def _holds(declared: dict[str, Any], name: str, value: Any, found: _Reading) -> bool:
    held = declared.get(name)
    if isinstance(held, tuple) and held:
        held = held[0]
    if isinstance(value, str) and value.startswith("$"):
        return held is not None and found.taken.setdefault(value[1:], held) == held
    if isinstance(value, str):
        return bool(held == value)
    return isinstance(held, int | float) and math.isclose(held, value, rel_tol=1e-5)


def _a_channel(shape: tuple[int, ...] | None) -> bool:
    """Whether a learned operand has one value a channel."""
    return shape is not None and sum(size > 1 for size in shape) <= 1


def _candidates(facing: Facing, root: int, found: _Reading) -> Iterator[int]:
    """Nodes of the other side that may be the fused layer, the likeliest first."""
    yield from (y for y in map(facing.to_few.__getitem__, found.nodes) if y >= 0)
    for x in found.values.values():
        if facing.to_few[x] >= 0:
            yield from readers(facing.few, facing.to_few[x])
    for x in readers(facing.many, root):
        if x >= 0 and facing.to_few[x] >= 0:
            yield from read(facing.few, facing.to_few[x])


def _fits(facing: Facing, pattern: Pattern, y: int) -> bool:
    """Whether a node of the other side is the fused layer, as far as it tells of itself."""
    fused = pattern.fused
    if y < 0 or facing.few.ops[y].operator != fused.name:
        return False
    declared = dict(facing.few.ops[y].declared)
    told = [(name, value) for name, value in fused.wanted if name in declared]
    return all(_holds(declared, name, value, _Reading()) for name, value in told)


def _agree(graph: IndexedGraph, fused: int, found: _Reading) -> bool:
    """Whether the constants taken from the pieces are the fused layer's attributes."""
    declared = dict(graph.ops[fused].declared)
    return all(declared.get(name) == value for name, value in found.taken.items())


def _meets(facing: Facing, root: int, fused: int, found: _Reading) -> bool:
    """Whether the fused layer reads and feeds the counterparts of what the pieces do.

    One that is matched with a piece stands in its place already; a norm that stands elsewhere on
    the other side has moved, it is not folded.
    """
    if facing.to_many[fused] in found.nodes:
        if _answered(facing, fused):
            return False
        return _NORM not in _operators(facing.many, found.nodes) or _folded(facing, fused)
    wanted = {facing.to_few[x] for x in found.values.values()} - {-1}
    fed = {facing.to_few[x] for x in readers(facing.many, root) if x >= 0} - {-1}
    sources, users = read(facing.few, fused), readers(facing.few, fused)
    return (not wanted or wanted <= set(sources)) and (not fed or bool(fed & set(users)))


def _folded(facing: Facing, fused: int) -> bool:
    """Whether a norm may be in a layer: it has a bias for the shift, or no norm is left at all."""
    return "bias" in dict(facing.few.ops[fused].parameters) or _NORM not in facing.operators


def _answered(facing: Facing, fused: int) -> bool:
    """Whether what is learned right behind a layer, on its side alone, stands for the pieces."""
    behind = (y for y in readers(facing.few, fused) if y >= 0 and facing.to_many[y] < 0)
    return any(facing.few.ops[y].parameters for y in behind)


def _operators(graph: IndexedGraph, nodes: list[int]) -> set[str]:
    return {graph.ops[node].operator for node in nodes}


def _told(graph: IndexedGraph, nodes: tuple[int, ...]) -> Composition:
    return Composition(operators=tuple(operator_of(graph, node) for node in nodes))


def _with_bias(graph: IndexedGraph, fused: int) -> Composition:
    """The fused layer, and whether it has a bias for what the pieces add."""
    parameters = dict(graph.ops[fused].parameters)
    bias = "bias" in parameters if "weight" in parameters else None
    return Composition(operators=(operator_of(graph, fused),), bias=bias)
