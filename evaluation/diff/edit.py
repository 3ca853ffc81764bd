"""One planted edit: what was done to which layers, and where no other edit may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from modeldocs.ir import Layer

from .draft import Draft
from .rows import Row

Ids = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A difference planted between two graphs.

    `old` are the layers of the first graph that it changed, `new` those of the second that it
    made of them; either may be empty. Where one layer became several, or several one, they
    correspond all together; where an edit concerns two layers one by one (a moved stride), `old`
    and `new` run in parallel. `alike` are layers of which nobody could tell which were put in or
    taken out (one more block of a row of equal ones), each under one word with those it may be
    mistaken for.
    """

    kind: str
    old: Ids
    new: Ids
    attribute: str | None = None
    before: Any = None
    after: Any = None
    alike: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Claims:
    """What edits have done: no two change the same layer, and no two together read as a third.

    `changed` are the layers that edits changed; `retyped` those that got another operator;
    `bridged` pairs of layers that stand beside each other since one between them is gone;
    `whole` are layers told in pieces, all but the last of each, behind which nothing is put in.
    `chains` are those of residual blocks of which one was put in or taken out, `in_rows` the
    layers of rows of these: with a layer put in there, another block may be the one that is new.
    `came` and `went`, by operator, the layers near which one was put in or taken out.
    """

    changed: set[str] = field(default_factory=set)
    retyped: set[str] = field(default_factory=set)
    bridged: set[tuple[str, str]] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    chains: set[str] = field(default_factory=set)
    in_rows: set[str] = field(default_factory=set)
    came: dict[str, set[str]] = field(default_factory=dict)
    went: dict[str, set[str]] = field(default_factory=dict)

    def copy(self) -> Claims:
        """Claims that can be added to on their own."""
        came, went = ({k: set(v) for k, v in held.items()} for held in (self.came, self.went))
        return Claims(
            set(self.changed),
            set(self.retyped),
            set(self.bridged),
            set(self.whole),
            set(self.chains),
            set(self.in_rows),
            came,
            went,
        )

    def free(self, *names: str) -> bool:
        """Whether no edit has changed any of these."""
        return self.changed.isdisjoint(names)

    def change(self, *names: str) -> None:
        """No other edit changes these."""
        self.changed.update(names)

    def bridge(self, before: str, readers: Iterable[str]) -> None:
        """A layer between these is gone; one put in there would be told as a replacement."""
        self.bridged.update((before, reader) for reader in readers)

    def at_bridge(self, name: str) -> bool:
        """Whether a layer next to this one is gone."""
        return any(name in pair for pair in self.bridged)

    def moves(self, draft: Draft, name: str, *, came: str = "", went: str = "") -> bool:
        """Keep that an operator comes and another goes; True where it would seem to have moved.

        A norm taken out here and one put in next door is a norm that moved.
        """
        near = draft.near(name)
        seems = not near.isdisjoint(self.went.get(came, ())) or not near.isdisjoint(
            self.came.get(went, ())
        )
        for operator, held in ((came, self.came), (went, self.went)):
            if operator:
                held.setdefault(operator, set()).update(near)
        return seems


@dataclass(slots=True)
class Bench:
    """What an edit works with: the draft, chance, and what other edits hold."""

    draft: Draft
    chance: Random
    claims: Claims
    closed: frozenset[str] = frozenset()
    """Layers that are spelled otherwise in the new graph, about which no edit is."""
    rows: tuple[Row, ...] = ()
    """Rows of equal blocks of the old graph."""

    def pick(self, *operators: str) -> Layer | None:
        """Any layer of these operators that no edit has changed; None where there is none."""
        found = [
            layer
            for layer in self.draft.layers.values()
            if layer.operator in operators and self.claims.free(layer.id)
        ]
        return self.chance.choice(found) if found else None

    def beside_new(self, name: str) -> bool:
        """Whether a layer that an edit put in is next to this one."""
        return any(other.startswith("new-") for other in self.draft.around(name))
