"""Known answers: what a diff of two ports must tell, and nothing beside it.

Each file of `expected/` tells what is known of a pair from its two definitions, and whether that
was written before any output of a diff of the pair was seen. Only the pairs of ports that came with
the files were written so; of all others an earlier diff had been read, so that they guard what was
found right, and do not measure how well it is found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from modeldocs.diff import Change, Diff
from modeldocs.ir import Layer, LayerGraph

FOLDER = Path(__file__).parent / "expected"


class Line(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A change that is expected, by what of it is known; a field left out says nothing.

    `layers` counts its pairs; `parameters` is what B's layers of it learn more than A's; `names`
    must stand in its title.
    """

    kind: str | None = None
    consequence: str | None = None
    operator: str | None = None
    attribute: str | None = None
    before: Any = None
    after: Any = None
    layers: int | None = None
    parameters: int | None = None
    names: str | None = None

    def __str__(self) -> str:
        told = ((field, getattr(self, field)) for field in self.__struct_fields__)
        return ", ".join(f"{field} {value}" for field, value in told if value is not None)


class Expected(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The known answer of a pair.

    `source` says how it is known. `written` is `before` where its author had seen no diff of the
    pair, `after` where one had been seen. `spelling` are the lines of the pair that change no
    number; they were all written after the diff's output was seen, and held against the two
    definitions. A pair that is equal has them all. `verdict` `equivalent` is met by `identical`
    too. `parameters` are the trainable ones of A and B. `weighted` counts layers with weights, in
    A and in B: all have a counterpart. What is told beside `changes`, `spelling` and `allow` is a
    false alarm.
    """

    a: str
    b: str
    source: str
    written: Literal["before", "after"]
    verdict: str
    weighted: int
    parameters: tuple[int, int]
    changes: tuple[Line, ...] = ()
    spelling: tuple[Line, ...] = ()
    allow: tuple[Line, ...] = ()


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A diff held against what was expected of it.

    `wrong` are sentences on the whole (verdict, parameters, a line of spelling that is missed);
    `mapped` counts the layers with weights that have a counterpart with weights, the smaller of
    the two sides.
    """

    found: tuple[Line, ...]
    missed: tuple[Line, ...]
    unexpected: tuple[Change, ...]
    wrong: tuple[str, ...]
    mapped: int

    @property
    def right(self) -> bool:
        """Whether all was found, and nothing else."""
        return not (self.missed or self.unexpected or self.wrong)

    def __str__(self) -> str:
        return "\n".join(
            [
                *(f"wrong       {sentence}" for sentence in self.wrong),
                *(f"missed      {line}" for line in self.missed),
                *(f"unexpected  [{c.consequence}] {c.title}" for c in self.unexpected),
                *(f"found       {line}" for line in self.found),
            ]
        )


def files() -> list[Path]:
    """The known answers, in order of name."""
    return sorted(FOLDER.glob("*.yml"))


def read(path: Path) -> Expected:
    """The known answer that a file holds."""
    return msgspec.yaml.decode(path.read_bytes(), type=Expected)


def check(expected: Expected, a: LayerGraph, b: LayerGraph, diff: Diff) -> Outcome:
    """Hold the diff of two graphs against what is expected of it.

    Each change answers one expected line at most, so one fact told twice is a false alarm.
    """
    left = list(diff.changes)
    found, missed = _answered(expected.changes, left, a, b)
    _, unspelled = _answered(expected.spelling, left, a, b)
    allowed = [c for c in left if any(_answers(c, line, a, b) for line in expected.allow)]
    mapped = min(_mapped(diff, a, b))
    return Outcome(
        found=tuple(found),
        missed=tuple(missed),
        unexpected=tuple(change for change in left if change not in allowed),
        wrong=(
            *_wrong(expected, diff, mapped),
            *(f"spelling is missed: {line}" for line in unspelled),
        ),
        mapped=mapped,
    )


def _answered(
    lines: Sequence[Line], left: list[Change], a: LayerGraph, b: LayerGraph
) -> tuple[list[Line], list[Line]]:
    """The lines that a change answers, and those that none does; changes that do leave `left`."""
    found, missed = [], []
    for line in lines:
        told = next((change for change in left if _answers(change, line, a, b)), None)
        if told is None:
            missed.append(line)
        else:
            left.remove(told)
            found.append(line)
    return found, missed


def _answers(change: Change, line: Line, a: LayerGraph, b: LayerGraph) -> bool:
    plain = ("kind", "consequence", "operator", "attribute", "before", "after")
    stated = {field: getattr(line, field) for field in plain if getattr(line, field) is not None}
    return (
        all(_equal(getattr(change, field), value) for field, value in stated.items())
        and line.layers in (None, len(change.pairs))
        and line.parameters in (None, _more(change, a, b))
        and (line.names is None or line.names in change.title)
    )


def _equal(told: Any, stated: Any) -> bool:
    if isinstance(told, list | tuple) and isinstance(stated, list):
        return len(told) == len(stated) and all(map(_equal, told, stated))
    if isinstance(told, int | float) and isinstance(stated, int | float):
        return math.isclose(told, stated, rel_tol=1e-5)
    return bool(told == stated)


def _more(change: Change, a: LayerGraph, b: LayerGraph) -> int:
    ours = {one for pair in change.pairs for one in pair[0]}
    theirs = {one for pair in change.pairs for one in pair[1]}
    return _learned(b.layers, theirs) - _learned(a.layers, ours)


def _learned(layers: Sequence[Layer], ids: set[str]) -> int:
    held = (layer for layer in layers if layer.id in ids)
    return sum(p.elements for layer in held for p in layer.parameters if p.trainable)


def _mapped(diff: Diff, a: LayerGraph, b: LayerGraph) -> tuple[int, int]:
    """Layers with weights on each side that have a counterpart with weights."""
    ours, theirs = _weighted(a), _weighted(b)
    pairs = [(ours.intersection(m.a), theirs.intersection(m.b)) for m in diff.matches]
    both = [(left, right) for left, right in pairs if left and right]
    return sum(len(left) for left, _ in both), sum(len(right) for _, right in both)


def _weighted(graph: LayerGraph) -> set[str]:
    return {layer.id for layer in graph.layers if any(p.role == "weight" for p in layer.parameters)}


def _wrong(expected: Expected, diff: Diff, mapped: int) -> Iterator[str]:
    equal = expected.verdict == "equivalent" and diff.verdict == "identical"
    if diff.verdict != expected.verdict and not equal:
        yield f"verdict {diff.verdict}, expected {expected.verdict}"
    if (diff.a.parameters, diff.b.parameters) != expected.parameters:
        yield f"parameters {diff.a.parameters:,} and {diff.b.parameters:,}"
    if mapped != expected.weighted:
        yield f"{mapped} of {expected.weighted} layers with weights are mapped"
