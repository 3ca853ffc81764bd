"""Policies of `--fail-on`: what of a comparison makes the exit code 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from modeldocs import spelling
from modeldocs.diff import Diff
from modeldocs.ir import Layer
from modeldocs.numerics.closeness import Difference
from modeldocs.site import verdict
from modeldocs.site.verdict import Graphs


def tripped(diff: Diff, graphs: Graphs, policies: Sequence[str]) -> list[str]:
    """Each policy that a diff trips, once, with the reason: `shape (2 changes of shape)`."""
    held = ((policy, POLICIES[policy](diff, graphs)) for policy in dict.fromkeys(policies))
    return [f"{policy} ({reason})" for policy, reason in held if reason]


def _different(diff: Diff, _graphs: Graphs) -> str:
    if diff.verdict == "different":
        return "the two graphs differ"
    parted = diff.parity is not None and diff.parity.verdict in ("diverges", "one way")
    return "other numbers come out" if parted else ""


def _parameters(diff: Diff, _graphs: Graphs) -> str:
    a, b = diff.a.parameters, diff.b.parameters
    if a != b and a is not None and b is not None:
        return f"{spelling.exact(a)} in A, {spelling.exact(b)} in B"
    return _changes(diff, "parameters", "of parameters")


def _shape(diff: Diff, graphs: Graphs) -> str:
    """Layers that correspond and give another shape, whatever made them; else inputs that do."""
    held = [{layer.id: layer for layer in graph.layers} for graph in graphs]
    told = [
        (held[0][match.a[-1]], held[1][match.b[-1]])
        for match in diff.matches
        if match.a[-1] in held[0] and match.b[-1] in held[1]
    ]
    other = [(a, b) for a, b in told if _sizes(a) != _sizes(b) and None not in _sizes(a, b)]
    if not other:
        return _changes(diff, "shape", "of shape")
    count = "one layer gives" if len(other) == 1 else f"{len(other):,} layers give"
    a, b = other[0]
    shapes = f"{_told(a)} in A, {_told(b)} in B"
    return f"{count} another shape, first {a.name}: {shapes}"


def _sizes(*layers: Layer) -> list[int | None]:
    """Sizes of the first outputs in no order: another layout is no other shape."""
    types = [layer.outputs[0] for layer in layers if layer.outputs]
    dims = [dim for held in types for dim in (held.shape if held.shape is not None else (None,))]
    known = [dim if isinstance(dim, int) else None for dim in dims if dim != 1]
    return sorted(known, key=lambda dim: -1 if dim is None else dim)


def _told(layer: Layer) -> str:
    return spelling.shape(layer.outputs[0] if layer.outputs else None)


def _parity(diff: Diff, _graphs: Graphs) -> str:
    parity = diff.parity
    if parity is None or parity.verdict == "not run":
        failure = parity.failure if parity is not None else None
        return failure.reason if failure else "it could not be run"
    if parity.verdict == "holds":
        return verdict.turned(parity)
    worst = parity.first.error if parity.first else parity.outputs
    return verdict.error(worst or Difference())


def _changes(diff: Diff, consequence: str, told: str) -> str:
    count = diff.consequences.get(consequence, 0)
    return f"{count:,} change{'' if count == 1 else 's'} {told}" if count else ""


POLICIES: Final[dict[str, Callable[[Diff, Graphs], str]]] = {
    "different": _different,
    "parameters": _parameters,
    "shape": _shape,
    "parity": _parity,
}
