"""Preprocessing: arithmetic with constants between an input and the first other layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from modeldocs import formatting
from modeldocs.diff.alignment.matching import operator_of
from modeldocs.diff.function.canonical_op import INPUT
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import Layer, operators

Nodes = tuple[int, ...]

_SIGNS: Final = {"Add": "+", "Sub": "−", "Mul": "×", "Div": "/"}
"""How each is written."""
_SHIFTS: Final = operators.named(affine="shift")

_FEW: Final = 4
"""Values of a constant that a formula lists; a longer constant is not listed."""

_ROUNDING: Final = 1e-3
"""Relative error up to which a factor is written as a division by a number with one decimal:
`× 0.003921569` as `/ 255`, `× 0.007843` as `/ 127.5`."""

_LONGEST: Final = 16
"""Layers of the longest preprocessing: the bound on the search; images take two or three."""


def find(graph: IndexedGraph, free: Sequence[int]) -> Iterator[tuple[Nodes, str]]:
    """Unmatched layers that only scale and shift an input, and the formula that they compute.

    The formula goes step by step: `x / 255, then (x − mean) / std`.
    """
    inside = set(free)
    for start in range(len(graph)):
        if graph.ops[start].operator == INPUT:
            steps = list(_steps(graph, start, inside))
            if steps:
                nodes = {node for step in steps for node in (step.node, *step.made_of)}
                yield tuple(sorted(nodes)), _formula(steps)


class _PreprocessingLayer:
    """One layer: its sign, its constant in words, the layers that compute the constant."""

    def __init__(self, graph: IndexedGraph, node: int, made_of: Nodes) -> None:
        self.node, self.made_of = node, made_of
        self.operator = operator_of(graph, node)
        self.constant = _constant(graph, node, made_of)

    def text(self) -> str:
        """`/ 255`: the sign and the constant."""
        if isinstance(self.constant, float | int):
            sign, number = _plainly(self.operator, float(self.constant))
            return f"{sign} {formatting.setting(number)}"
        return f"{_SIGNS[self.operator]} {self.constant}"


def _steps(graph: IndexedGraph, start: int, inside: set[int]) -> Iterator[_PreprocessingLayer]:
    node = start
    for _ in range(_LONGEST):
        users = {user for _, user in graph.users[node]}
        after = users.pop() if len(users) == 1 else -1
        if (
            after not in inside
            or operator_of(graph, after) not in _SIGNS
            or node in graph.output_nodes
        ):
            return
        others = [source for _, source in graph.sources[after] if source != node]
        made_of = _ancestors(graph, others, inside)
        if len(graph.sources[after]) != 1 + len(others) or made_of is None:
            return
        yield _PreprocessingLayer(graph, after, made_of)
        node = after


def _ancestors(graph: IndexedGraph, nodes: list[int], inside: set[int]) -> Nodes | None:
    """The nodes that compute an operand; None where an input is among them."""
    seen, waiting = set(nodes), list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in inside or graph.ops[node].operator == INPUT or len(seen) > _LONGEST:
            return None
        new = {source for _, source in graph.sources[node]} - seen
        seen |= new
        waiting += new
    return tuple(sorted(seen))


def _constant(graph: IndexedGraph, node: int, made_of: Nodes) -> Any:
    """The other operand: a number, a few numbers as text, or the name of a parameter."""
    layer = graph.nodes[node]
    if not isinstance(layer, Layer):
        return "a constant"
    stored = [
        p.name
        for one in (layer, *(graph.nodes[x] for x in made_of))
        if isinstance(one, Layer)
        for p in one.parameters
    ]
    if stored:
        name = stored[0].replace("/", ".").rpartition(".")[2]
        return "std" if name.startswith("var") else name
    value = dict(graph.ops[node].declared).get("B")
    if isinstance(value, int | float):
        return value
    if isinstance(value, tuple) and 0 < len(value) <= _FEW:
        return f"({', '.join(map(formatting.setting, value))})"
    return "a constant"


def _plainly(operator: str, number: float) -> tuple[str, float]:
    """A factor of 1/255 as a division by 255, a negative shift as a subtraction."""
    if operator == "Mul" and number and abs(number) < 1:
        inverse = 1 / number
        if abs(inverse * 10 - round(inverse * 10)) < _ROUNDING * abs(inverse):
            return "/", round(inverse * 10) / 10
    if operator in _SHIFTS and number < 0:
        return {"+": "−", "−": "+"}[_SIGNS[operator]], -number
    return _SIGNS[operator], number


def _formula(steps: list[_PreprocessingLayer]) -> str:
    """The steps as text: a shift after a factor begins a new formula."""
    text = ["x"]
    for before, step in zip((None, *steps), steps, strict=False):
        shifts = step.operator in _SHIFTS
        if before is not None and shifts and before.operator not in _SHIFTS:
            text.append("x")
        elif before is not None and not shifts and before.operator in _SHIFTS:
            text[-1] = f"({text[-1]})"
        text[-1] += f" {step.text()}"
    return ", then ".join(text)
