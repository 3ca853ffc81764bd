"""Policies of `modeldocs diff --fail-on`: differences that make the exit code 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from modeldocs import formatting
from modeldocs.diff import Diff
from modeldocs.ir import Layer
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.verdict import sentences
from modeldocs.verdict.sentences import Graphs


def violations(diff: Diff, graphs: Graphs, policies: Sequence[str]) -> list[str]:
    """Each policy that a diff violates, once, with the reason: `shape (2 changes of shape)`."""
    reasons = {policy: POLICIES[policy](diff, graphs) for policy in policies}
    return [f"{policy} ({reason})" for policy, reason in reasons.items() if reason]


def _different(diff: Diff, _graphs: Graphs) -> str:
    if diff.verdict == "different":
        return "the two graphs differ"
    diverges = diff.parity is not None and diff.parity.verdict in ("diverges", "one way")
    return "their outputs differ" if diverges else ""


def _parameters(diff: Diff, _graphs: Graphs) -> str:
    a, b = diff.a.parameters, diff.b.parameters
    if a != b and a is not None and b is not None:
        return f"{formatting.exact(a)} in A, {formatting.exact(b)} in B"
    return _changes(diff, "parameters", "of parameters")


def _shape(diff: Diff, graphs: Graphs) -> str:
    """Layers that correspond and whose output shapes differ; else changes of an input's shape."""
    a_layers, b_layers = ({layer.id: layer for layer in graph.layers} for graph in graphs)
    pairs = [
        (a_layers[match.a[-1]], b_layers[match.b[-1]])
        for match in diff.matches
        if match.a[-1] in a_layers and match.b[-1] in b_layers
    ]
    differing = [(a, b) for a, b in pairs if _sizes(a) != _sizes(b) and None not in _sizes(a, b)]
    if not differing:
        return _changes(diff, "shape", "of shape")
    count = "one layer gives" if len(differing) == 1 else f"{len(differing):,} layers give"
    a, b = differing[0]
    shapes = f"{_output_shape(a)} in A, {_output_shape(b)} in B"
    return f"{count} another shape, first {a.name}: {shapes}"


def _sizes(*layers: Layer) -> list[int | None]:
    """Sizes of the first outputs, sorted, since layouts may differ; None for an unknown one."""
    shapes = [layer.outputs[0].shape for layer in layers if layer.outputs]
    dims = [dim for shape in shapes for dim in (shape if shape is not None else (None,))]
    sizes = [dim if isinstance(dim, int) else None for dim in dims if dim != 1]
    return sorted(sizes, key=lambda size: -1 if size is None else size)


def _output_shape(layer: Layer) -> str:
    return formatting.shape(layer.outputs[0] if layer.outputs else None)


def _parity(diff: Diff, _graphs: Graphs) -> str:
    parity = diff.parity
    if parity is None or parity.verdict == "not run":
        failure = parity.failure if parity is not None else None
        return failure.reason if failure else "it could not be run"
    if parity.verdict == "holds":
        return sentences.turned(parity)
    worst = parity.first.error if parity.first else parity.outputs
    return sentences.error(worst or Difference())


def _changes(diff: Diff, consequence: str, phrase: str) -> str:
    count = diff.consequences.get(consequence, 0)
    return f"{count:,} change{'' if count == 1 else 's'} {phrase}" if count else ""


POLICIES: Final[dict[str, Callable[[Diff, Graphs], str]]] = {
    "different": _different,
    "parameters": _parameters,
    "shape": _shape,
    "parity": _parity,
}
