"""One planted edit: what was done to which layers, and which layers later edits must leave."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from modeldocs.graph import Layer

from .draft import Draft

Ids = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A difference planted between two graphs.

    `old` are the layers of the first graph that it changed, `new` those of the second that it
    made of them; either may be empty. Where one layer became several, or several one, they
    correspond all together; where an edit concerns two layers one by one (a moved stride), `old`
    and `new` run in parallel.
    """

    kind: str
    old: Ids
    new: Ids
    attribute: str | None = None
    before: Any = None
    after: Any = None


@dataclass(slots=True)
class Claims:
    """Layers that edits have changed, and layers beside those that were put in or taken out."""

    changed: set[str] = field(default_factory=set)
    beside: set[str] = field(default_factory=set)
    traces: dict[str, set[str]] = field(default_factory=dict)
    """By operator: layers near which one was put in, taken out or retyped."""

    def copy(self) -> Claims:
        """Claims that can be added to on their own."""
        traces = {operator: set(names) for operator, names in self.traces.items()}
        return Claims(set(self.changed), set(self.beside), traces)

    def free(self, *names: str) -> bool:
        """Whether no edit has changed any of these."""
        return self.changed.isdisjoint(names)

    def clear(self, draft: Draft, *names: str) -> bool:
        """Whether these may be put elsewhere: no edit changed them or rewired around them."""
        near = set(names).union(*(draft.around(name) for name in names))
        return self.free(*near) and self.beside.isdisjoint(near)

    def change(self, *names: str) -> None:
        """No other edit changes these."""
        self.changed.update(names)

    def rewire(self, draft: Draft, *names: str) -> None:
        """No other edit changes these, nor takes out what is next to them."""
        self.changed.update(names)
        self.beside.update(names, *(draft.around(name) for name in names if name in draft.layers))

    def trace(self, draft: Draft, name: str, *operators: str) -> bool:
        """Keep that a layer of these operators comes or goes; False where one did so close by.

        A norm taken out here and one put in next door would be told as one that moved.
        """
        near = draft.near(name)
        if any(not near.isdisjoint(self.traces.get(operator, ())) for operator in operators):
            return False
        for operator in operators:
            self.traces.setdefault(operator, set()).update(near)
        return True


@dataclass(slots=True)
class Bench:
    """What an edit works with: the draft, chance, and what other edits hold."""

    draft: Draft
    chance: Random
    claims: Claims

    def pick(self, *operators: str) -> Layer | None:
        """Any layer of these operators that no edit has changed; None where there is none."""
        found = [
            layer
            for layer in self.draft.layers.values()
            if layer.operator in operators and self.claims.free(layer.id)
        ]
        return self.chance.choice(found) if found else None
