"""Changes in the words of a person who ports models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from modeldocs.diff.attributes import TRAINING
from modeldocs.diff.diff import Change, Diff
from modeldocs.diff.finding import Finding
from modeldocs.graph import LayerGraph

_MEANS: Final = {
    "computes": "The two compute something else here.",
    "shape": "Tensors have another shape from here on.",
    "parameters": "Another number of parameters is learned.",
    "order": "The same layer stands elsewhere.",
    "spelling": "The same function, told differently.",
}
_VERDICTS: Final = {
    "identical": "The two graphs are identical.",
    "equivalent": "The two graphs are equivalent: the same structure, told differently"
    " (compared by structure, not proven by numbers).",
    "different": "The two graphs differ.",
}


def lines(diff: Diff) -> list[str]:
    """The verdict, and each change in one line."""
    return [_VERDICTS[diff.verdict], *(change.title for change in diff.changes)]


def title(group: Sequence[Finding]) -> str:
    """One line for findings that are told alike."""
    return _TITLES[group[0].kind](group)


def sentence(group: Sequence[Finding]) -> str:
    """What the findings mean."""
    first = group[0]
    if first.attribute in TRAINING:
        return "It matters while training only."
    if first.attribute == "padding":
        return "The source tells its padding differently; the pads are equal."
    return _MEANS[first.consequence]


def places(change: Change, a: LayerGraph, b: LayerGraph) -> list[str]:
    """Where a change is, by the layers' names: `layer2.0.conv1 → res3a_branch2a`."""
    names = (a.names(), b.names())
    return [
        " → ".join(
            " + ".join(known.get(one, one) for one in ids)
            for known, ids in zip(names, pair, strict=True)
            if ids
        )
        for pair in change.pairs
    ]


def value(given: Any) -> str:
    """A value as a line tells it: `1,1` as 1, a missing one as none."""
    if given is None:
        return "none"
    if not isinstance(given, tuple | list):
        return str(given)
    if given and isinstance(given[-1], str) and given[-1] in ("ceil", "floor"):
        return f"{value(given[:-1])} {given[-1]}"
    if given and all(item == given[0] for item in given):
        return str(given[0])
    return ",".join(str(item) for item in given) or "none"


def shape(given: Any) -> str:
    """A shape as people write it: `1x64x56x56`."""
    if given is None:
        return "unknown"
    return "x".join("?" if dim is None else str(dim) for dim in given) or "scalar"


def _attribute(group: Sequence[Finding]) -> str:
    first = group[0]
    return f"{first.attribute} {value(first.before)} → {value(first.after)} in {_layers(group)}"


def _operator(group: Sequence[Finding]) -> str:
    first = group[0]
    if first.consequence == "spelling":
        return f"{first.before} spelled as {first.after} in {_layers(group)}"
    return f"{first.before} → {first.after} in {_layers(group)}"


def _one_sided(group: Sequence[Finding]) -> str:
    first = group[0]
    side = "B" if first.kind == "inserted" else "A"
    held = abs(sum(finding.delta for finding in group))
    tail = f" ({held:,} parameters)" if held else ""
    if len(group) == 1:
        place = f" {first.where}" if first.where else ""
        return f"{first.operator}{place} only in {side}{tail}"
    return f"{first.operator} × {len(group):,} only in {side}{tail}"


def _moved(group: Sequence[Finding]) -> str:
    first = group[0]
    times = f", × {len(group):,}" if len(group) > 1 else ""
    where = f"after {first.before or 'nothing'} in A, after {first.after or 'nothing'} in B"
    return f"{first.operator} moved: {where}{times}{_after(group)}"


def _rewired(group: Sequence[Finding]) -> str:
    first = group[0]
    if first.operator == "output":
        return _output(group)
    if len(group) == 1:
        reads = f"reads {value(first.before)} in A, {value(first.after)} in B"
        return f"{first.operator} {first.pair[0][0]} {reads}"
    return f"{_layers(group)} read other layers"


def _output(group: Sequence[Finding]) -> str:
    first = group[0]
    if first.consequence == "spelling":
        return "outputs in another order"
    side, name = ("A", first.before) if first.after is None else ("B", first.after)
    if len(group) == 1:
        return f"output of {name} only in {side}"
    return f"{len(group):,} outputs only in {side}"


def _shape(group: Sequence[Finding]) -> str:
    first = group[0]
    change = f"{shape(first.before)} → {shape(first.after)}"
    if first.operator == "input":
        return f"input {change}" + (f" × {len(group)}" if len(group) > 1 else "") + _after(group)
    if len(group) == 1:
        return f"output {change} of {_layers(group)}{_after(group)}"
    return f"output of {_layers(group)}, first {change}{_after(group)}"


def _after(group: Sequence[Finding]) -> str:
    count = sum(finding.followers for finding in group)
    if not count:
        return ""
    these = "it" if len(group) == 1 else "them"
    return f", and {count:,} layer{'s' if count > 1 else ''} after {these}"


def _parameters(group: Sequence[Finding]) -> str:
    first = group[0]
    delta = sum(finding.delta for finding in group)
    if isinstance(first.before, str):
        return f"{first.attribute}: {first.before} → {first.after} in {_layers(group)}"
    if first.before is None or first.after is None:
        side = "B" if first.before is None else "A"
        return f"{first.attribute} only in {side} in {_layers(group)} ({abs(delta):,} parameters)"
    change = f"{shape(first.before)} → {shape(first.after)}"
    alike = "first " if len({(f.before, f.after) for f in group}) > 1 else ""
    return f"{first.attribute} {alike}{change} in {_layers(group)} ({delta:+,} parameters)"


def _layers(group: Sequence[Finding]) -> str:
    count = len({finding.pair for finding in group})
    kind = f"{group[0].operator} " if group[0].operator else ""
    return f"one {kind}layer" if count == 1 else f"{count:,} {kind}layers"


_TITLES: Final[dict[str, Callable[[Sequence[Finding]], str]]] = {
    "attribute": _attribute,
    "operator": _operator,
    "inserted": _one_sided,
    "deleted": _one_sided,
    "moved": _moved,
    "rewired": _rewired,
    "shape": _shape,
    "parameters": _parameters,
}
