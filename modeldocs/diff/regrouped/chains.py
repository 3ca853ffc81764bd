"""One sum, product or Concat of many operands against several of fewer."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.alignment.pairing import operator_of
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.regrouped.facing import Facing, read, readers

_JOINING: Final = frozenset({"Add", "Mul", "Max", "Min", "Concat"})
_MOST: Final = 64


def find(facing: Facing) -> None:
    """Group nested layers of one operator with the one that joins all their operands."""
    tops: dict[int, None] = {}
    for x in facing.free():
        form = facing.many.forms[x]
        if form.operator in _JOINING and not form.parameters and facing.untaken([x], ()):
            tops[_top(facing.many, x)] = None
    for top in tops:
        _grouped(facing, top)


def _top(side: Side, node: int) -> int:
    """The last of nested layers that are the same function."""
    for _ in range(_MOST):
        above = readers(side, node)
        if len(above) != 1 or above[0] < 0:
            return node
        if not side.forms[above[0]].same_function(side.forms[node]):
            return node
        node = above[0]
    return node


def _grouped(facing: Facing, root: int) -> None:
    nodes, leaves = _tree(facing.many, root)
    wanted = [facing.to_few[leaf] for leaf in leaves]
    if len(nodes) < 2 or not wanted or -1 in wanted:
        return
    operator = facing.many.forms[root].operator
    for y in readers(facing.few, wanted[-1]):
        if y < 0 or not facing.few.forms[y].same_function(facing.many.forms[root]):
            continue
        given = read(facing.few, y)
        even = given == wanted if operator == "Concat" else sorted(given) == sorted(wanted)
        fits = facing.untaken(nodes, (y,)) and facing.closed(nodes, (y,))
        if even and fits:
            name = operator_of(facing.few, y)
            told = f"{len(nodes)} nested {operator}", f"one {name}"
            facing.group(tuple(sorted(nodes)), (y,), told, "spelling", loose=nodes)
            return


def _tree(side: Side, root: int) -> tuple[list[int], list[int]]:
    """Nested layers of one function, and what they read altogether, in order."""
    nodes, leaves = [root], []
    waiting = read(side, root)
    while waiting and len(nodes) < _MOST:
        node = waiting.pop(0)
        nested = side.forms[node].same_function(side.forms[root])
        if nested and not side.forms[node].parameters and len(readers(side, node)) == 1:
            nodes.append(node)
            waiting[:0] = read(side, node)
        else:
            leaves.append(node)
    return nodes, leaves
