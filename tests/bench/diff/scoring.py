"""How well a diff tells what was planted: the mapping, the edits found, the changes made up."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from modeldocs.diff import Change, Diff
from modeldocs.graph import LayerGraph

from .digests import classes
from .edit import Edit, Ids
from .mutations import Mutated

Pair = tuple[Ids, Ids]

_PADDING = frozenset({"pads", "ceil_mode", "count_include_pad", "padding"})
_OWN = frozenset({"attribute", "parameters", "shape", "operator"})
"""Kinds of changes that may be told of a layer that an edit changed."""

_CONSEQUENCES = frozenset({"parameters", "shape"})
"""Kinds that may be told of the layers which read what an edit changed."""


@dataclass(slots=True)
class Score:
    """Counts over one diff or many.

    `truth`, `matched` and `right` count pairs of layers; `planted` and `found` edits; `told`
    and `explained` changes, each counted for every pair of layers that it names.
    """

    truth: int = 0
    matched: int = 0
    right: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    told: int = 0
    explained: int = 0
    missed: list[Edit] = field(default_factory=list)
    extra: list[tuple[str, str | None, Pair]] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)

    @property
    def f1(self) -> float:
        """Harmonic mean of the mapping's precision and recall."""
        return 2 * self.right / (self.truth + self.matched) if self.truth else 1.0

    @property
    def recall(self) -> float:
        """Share of the planted edits that are told as what they are."""
        planted = sum(self.planted.values())
        return sum(self.found.values()) / planted if planted else 1.0

    @property
    def precision(self) -> float:
        """Share of what is told that a planted edit explains."""
        return self.explained / self.told if self.told else 1.0

    def add(self, other: Score) -> None:
        """Count another diff as well; its cases are not kept."""
        for name in ("truth", "matched", "right", "told", "explained"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.planted += other.planted
        self.found += other.found


def score(judge: Judge, diff: Diff) -> Score:
    """Hold a diff of a graph and its mutation against what was planted."""
    mutated = judge.mutated
    made = judge.mapping(_crossed((match.a, match.b) for match in diff.matches))
    for edit in mutated.edits:
        made.planted[edit.kind] += 1
        if judge.tells(edit, diff.changes):
            made.found[edit.kind] += 1
        else:
            made.missed.append(edit)
    for change in diff.changes:
        for pair in change.pairs:
            made.told += 1
            if any(judge.explains(edit, change, pair) for edit in mutated.edits):
                made.explained += 1
            else:
                made.extra.append((change.kind, change.attribute, pair))
    return made


class Judge:
    """What is true of a graph and its mutation; layers that nothing tells apart are one."""

    def __init__(self, old: LayerGraph, mutated: Mutated) -> None:
        self.mutated = mutated
        self.old, self.new = classes(old), classes(mutated.graph)
        self.old_readers, self.new_readers = _readers(old), _readers(mutated.graph)

    def mapping(self, pairs: set[tuple[str, str]]) -> Score:
        """Count the pairs that are right, or as good as right."""
        truth = _crossed(self.mutated.mapping)
        by_old = {(a, self.new[b]) for a, b in truth}
        by_new = {(self.old[a], b) for a, b in truth}
        wrong = [
            (a, b)
            for a, b in sorted(pairs)
            if (a, self.new[b]) not in by_old and (self.old[a], b) not in by_new
        ]
        return Score(len(truth), len(pairs), len(pairs) - len(wrong), wrong=wrong)

    def tells(self, edit: Edit, changes: Iterable[Change]) -> bool:
        """Whether a change names an edit's layers and says what was done."""
        told = [(change, pair) for change in changes for pair in change.pairs]
        return all(
            any(self._says(edit, change) and self._names(part, pair) for change, pair in told)
            or (edit.kind == "swap" and any(self._swapped(edit, *held) for held in told))
            for part in parts(edit)
        )

    def explains(self, edit: Edit, change: Change, pair: Pair) -> bool:
        """Whether what is told of a pair comes from an edit."""
        if any(self._says(edit, change) and self._names(part, pair) for part in parts(edit)):
            return True
        if edit.kind == "swap":
            return self._swapped(edit, change, pair)
        if change.kind in _OWN and any(self._names(part, pair) for part in parts(edit)):
            return True
        turned = change.attribute == "order of axes"
        return (turned or change.kind in _CONSEQUENCES) and self._reads(edit, pair)

    def _says(self, edit: Edit, change: Change) -> bool:
        if edit.kind == "attribute":
            return change.kind == "attribute" and _same(edit.attribute, change.attribute)
        if edit.kind == "stride":
            return change.kind in ("attribute", "moved") and change.attribute == "strides"
        return change.kind in _WORDS[edit.kind]

    def _names(self, part: Pair, pair: Pair) -> bool:
        """Whether a change is about exactly these layers."""
        return self._word(pair) == self._word(part)

    def _word(self, pair: Pair) -> tuple[list[str], list[str]]:
        ours, theirs = pair
        return sorted(self.old[name] for name in ours), sorted(self.new[name] for name in theirs)

    def _swapped(self, edit: Edit, change: Change, pair: Pair) -> bool:
        """Whether a change says of swapped branches that one of them stands elsewhere."""
        return change.kind in _WORDS["swap"] and not set(edit.before).isdisjoint(pair[0])

    def _reads(self, edit: Edit, pair: Pair) -> bool:
        """Whether a pair reads what an edit changed, or is of it."""
        ours = set(edit.old).union(*(self.old_readers[name] for name in edit.old))
        theirs = set(edit.new).union(*(self.new_readers[name] for name in edit.new))
        return not ours.isdisjoint(pair[0]) or not theirs.isdisjoint(pair[1])


_WORDS = {
    "delete": {"deleted"},
    "insert": {"inserted"},
    "retype": {"operator"},
    "swap": {"rewired", "moved"},
    "fuse": {"regrouped"},
    "split": {"regrouped"},
    "layout": {"shape", "attribute"},
    "width": {"parameters", "shape"},
}
"""Kinds of changes that tell an edit."""


def parts(edit: Edit) -> Iterator[Pair]:
    """The pairs of layers that an edit must be told of."""
    if edit.kind == "stride":
        for old, new in zip(edit.old, edit.new, strict=True):
            yield (old,), (new,)
    else:
        yield edit.old, edit.new


def _same(planted: str | None, told: str | None) -> bool:
    return planted == told or (planted in _PADDING and told in _PADDING)


def _crossed(matches: Iterable[Pair]) -> set[tuple[str, str]]:
    return {(a, b) for ours, theirs in matches for a in ours for b in theirs}


def _readers(graph: LayerGraph) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for layer in graph.layers:
        for operand in layer.inputs:
            found[operand.value].add(layer.id)
    return found
