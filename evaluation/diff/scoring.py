"""How well a diff tells what was planted: the mapping, the edits found, the changes made up."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from modeldocs.diff import Change, Diff
from modeldocs.ir import LayerGraph

from .digests import classes
from .edit import Edit, Ids
from .mutations import Mutated

Pair = tuple[Ids, Ids]

_OWN = frozenset({"attribute", "parameters", "shape", "operator"})
"""Kinds of changes that may be told of a layer that an edit changed."""

_CONSEQUENCES = frozenset({"parameters", "shape"})
"""Kinds that may be told of the layers which read what an edit changed."""

_WHOLE = frozenset({"preprocess", "block in", "block out"})
"""Edits of several layers, which may be told one by one or all together."""


@dataclass(slots=True)
class Score:
    """Counts over one diff or many.

    `truth`, `matched` and `right` count pairs of layers; `planted` and `found` edits; `told`
    and `explained` changes, each counted for every pair of layers that it names. Of layers that
    are spelled otherwise any match with one another may be told, and any change of spelling.
    """

    truth: int = 0
    matched: int = 0
    right: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    told: int = 0
    explained: int = 0
    missed: list[Edit] = field(default_factory=list)
    extra: list[tuple[int, Pair]] = field(default_factory=list)
    """Changes that no edit explains, by their place in the diff, with what they name."""
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
    for number, change in enumerate(diff.changes):
        for pair in change.pairs:
            if judge.spells(change, pair):
                continue
            made.told += 1
            if any(judge.explains(edit, change, pair) for edit in mutated.edits):
                made.explained += 1
            else:
                made.extra.append((number, pair))
    return made


class Judge:
    """What is true of a graph and its mutation; layers that nothing tells apart are one."""

    def __init__(self, old: LayerGraph, mutated: Mutated) -> None:
        self.mutated = mutated
        self.old = classes(old) | mutated.alike[0]
        self.new = classes(mutated.graph) | mutated.alike[1]
        self.old_readers, self.new_readers = _readers(old), _readers(mutated.graph)
        self.new_sources = {
            layer.id: {operand.value for operand in layer.inputs} for layer in mutated.graph.layers
        }

    def mapping(self, pairs: set[tuple[str, str]]) -> Score:
        """Count the pairs that are right, or as good as right."""
        truth = _crossed(self.mutated.mapping)
        pairs = {pair for pair in pairs if not self._free(*pair)}
        by_old = {(a, self.new[b]) for a, b in truth}
        by_new = {(self.old[a], b) for a, b in truth}
        wrong = [
            (a, b)
            for a, b in sorted(pairs)
            if (a, self.new[b]) not in by_old and (self.old[a], b) not in by_new
        ]
        return Score(len(truth), len(pairs), len(pairs) - len(wrong), wrong=wrong)

    def _free(self, a: str, b: str) -> bool:
        """Whether a rewrite made one of the two, and the other of what it was about."""
        held = [self.mutated.respelt[side] for side in (0, 1)]
        about = [held[side] | self.mutated.touched[side] for side in (0, 1)]
        return (a in held[0] and b in about[1]) or (a in about[0] and b in held[1])

    def tells(self, edit: Edit, changes: Iterable[Change]) -> bool:
        """Whether a change names an edit's layers and says what was done."""
        told = [(change, pair) for change in changes for pair in change.pairs]
        if edit.kind in _WHOLE:
            named = [
                self._word(pair) for x, pair in told if self._says(edit, x) and self._of(edit, pair)
            ]
            wanted = self._word((edit.old, edit.new))
            return all(
                Counter(x for pair in named for x in pair[side]) >= Counter(wanted[side])
                for side in (0, 1)
            )
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
        if edit.kind in _WHOLE:
            return self._says(edit, change) and self._of(edit, pair)
        if change.kind in _OWN and any(self._names(part, pair) for part in parts(edit)):
            return True
        turned = change.attribute == "order of axes"
        return (turned or change.kind in _CONSEQUENCES) and self._reads(edit, pair)

    def _says(self, edit: Edit, change: Change) -> bool:
        if edit.kind == "attribute":
            return change.kind == "attribute" and edit.attribute == change.attribute
        if edit.kind == "stride":
            return change.kind in ("attribute", "moved") and change.attribute == "strides"
        return change.kind in _WORDS[edit.kind]

    def _names(self, part: Pair, pair: Pair) -> bool:
        """Whether a change is about exactly these layers."""
        return self._word(pair) == self._word(part)

    def _of(self, edit: Edit, pair: Pair) -> bool:
        """Whether a change is about layers of an edit, and no others."""
        held, wanted = self._word(pair), self._word((edit.old, edit.new))
        return all({*held[side]} <= {*wanted[side]} for side in (0, 1))

    def spells(self, change: Change, pair: Pair) -> bool:
        """Whether a change says of layers spelled otherwise that they are, and no more."""
        about = self.mutated.respelt, self.mutated.touched
        near = any(not held[side].isdisjoint(pair[side]) for held in about for side in (0, 1))
        return near and change.consequence == "spelling"

    def _word(self, pair: Pair) -> tuple[list[str], list[str]]:
        ours, theirs = pair
        return sorted(self.old[name] for name in ours), sorted(self.new[name] for name in theirs)

    def _swapped(self, edit: Edit, change: Change, pair: Pair) -> bool:
        """Whether a change says of swapped branches that one of them stands elsewhere.

        Where both are parts of one layer, it is as small a change, and the same network, that
        this layer makes its parts in another order.
        """
        if change.attribute == "order of parts" and len(set(edit.before)) == 1:
            read = self.new_sources[edit.new[0]]
            made = read.union(*(self.new_sources.get(one, ()) for one in read))
            return not made.isdisjoint(pair[1])
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
    "preprocess": {"inserted"},
    "block in": {"inserted"},
    "block out": {"deleted"},
}
"""Kinds of changes that tell an edit."""


def parts(edit: Edit) -> Iterator[Pair]:
    """The pairs of layers that an edit must be told of."""
    if edit.kind == "stride":
        for old, new in zip(edit.old, edit.new, strict=True):
            yield (old,), (new,)
    else:
        yield edit.old, edit.new


def _crossed(matches: Iterable[Pair]) -> set[tuple[str, str]]:
    return {(a, b) for ours, theirs in matches for a in ours for b in theirs}


def _readers(graph: LayerGraph) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for layer in graph.layers:
        for operand in layer.inputs:
            found[operand.value].add(layer.id)
    return found
