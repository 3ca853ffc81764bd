"""The plain data of a comparison: `Diff`, `Match` and `Change`, and their JSON."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from modeldocs.diff.function.arrangement import Arrangement
from modeldocs.diff.parity import Ids, Pair, Parity
from modeldocs.ir import Totals
from modeldocs.struct import Struct

FORMAT = 6
"""Version of the JSON format; raised when a field changes its name or its meaning."""

CONSEQUENCES = ("computes", "order", "shape", "parameters", "spelling")
"""The consequences of changes, the gravest first.

`computes`: another function; `order`: the same layers, one of them in another place; `shape`:
tensors of another shape; `parameters`: other trainable parameters; `spelling`: the same function,
written differently.
"""

MEASURED = frozenset({"computes", "order", "shape"})
"""Consequences that running confirms or refutes. Other parameters are counted, not run."""

UNCERTAIN = 0.5
"""Confidence of a match below which reports list it as uncertain."""


class Match(Struct, frozen=True):
    """Layers (or inputs) of A, their counterparts in B, and the reason why they correspond.

    Usually one each; several where one side is decomposed and the other fused. A layer is in one
    match at most. `confidence` ranks matches between 0 and 1; it is no probability.

    Where B's layer outputs the elements of A's in another order of axes, A's output is reshaped to
    `sizes` and then transposed by `order` to have B's order. Both are empty where the order is the
    same, whatever the two shapes.
    """

    a: Ids
    b: Ids
    reason: str
    confidence: float
    sizes: tuple[int, ...] = ()
    order: tuple[int, ...] = ()

    def mirrored(self) -> Match:
        """The same correspondence, from B to A."""
        order = Arrangement(self.sizes, self.order).inverse()
        return msgspec.structs.replace(
            self, a=self.b, b=self.a, sizes=order.sizes, order=order.order
        )


class Change(Struct, frozen=True):
    """One line of a diff: a difference, reported once for all the pairs of layers that have it.

    `title` describes the difference, `text` its meaning for a port. `before` is A's value, `after`
    B's. `operator` is the operator of the layers, `operator_b` that of B's where it computes
    another function. `followers` is the number of further layers that differ only because of this
    change. `parameter_delta` is the number of trainable parameters that B has more because of it;
    those of all changes add up to the difference of the totals. `joint` is whether a difference
    spans several pairs, as a stride does that moved from one layer to another: none of them has it
    alone.
    """

    kind: str
    consequence: str
    title: str
    text: str
    pairs: tuple[Pair, ...]
    operator: str = ""
    operator_b: str = ""
    attribute: str | None = None
    before: Any = None
    after: Any = None
    followers: int = 0
    parameter_delta: int = 0
    joint: bool = False

    def lacks(self, layers: Collection[str]) -> bool:
        """Whether it tells of some layers of B that A has no counterpart of them."""
        return any(not a and not set(b).isdisjoint(layers) for a, b in self.pairs)

    def says_of(self, layers: Pair, settings: Collection[str]) -> bool:
        """Whether it is a change of one of these settings, in none but these layers."""
        if self.kind != "attribute" or self.attribute not in settings:
            return False
        both = (set(layers[0]), set(layers[1]))
        return all(both[0].issuperset(a) and both[1].issuperset(b) for a, b in self.pairs)


class Diff(Struct, frozen=True, omit_defaults=False):
    """Two graphs compared: which layers correspond, and what changed.

    `verdict` is `identical` (no changes), `equivalent` (changes of spelling only) or `different`.
    It is by structure; `parity` holds the comparison of numbers where it was run. `names` are the
    names of the graphs, `a` and `b` their totals. `unchanged` is the number of A's matched layers
    that are in no change. `consequences` and `kinds` count the changes of each.
    """

    verdict: str
    names: tuple[str, str]
    a: Totals
    b: Totals
    matches: tuple[Match, ...] = ()
    changes: tuple[Change, ...] = ()
    unchanged: int = 0
    consequences: dict[str, int] = msgspec.field(default_factory=dict)
    kinds: dict[str, int] = msgspec.field(default_factory=dict)
    parity: Parity | None = None
    format: int = FORMAT

    @property
    def different_networks(self) -> bool:
        """Whether the two are different networks: one change, with the layers in common."""
        return bool(self.changes) and self.changes[0].kind == "network"

    @property
    def uncertain(self) -> tuple[Match, ...]:
        """The matches whose confidence is below `UNCERTAIN`."""
        return tuple(match for match in self.matches if match.confidence < UNCERTAIN)

    def counterpart(self) -> dict[str, Ids]:
        """The ids in B that correspond to each matched layer and input of A."""
        return {one: match.b for match in self.matches for one in match.a}


def encode(diff: Diff) -> bytes:
    """The diff's JSON, the same bytes for the same diff."""
    return msgspec.json.encode(diff, order="deterministic")


def decode(data: bytes) -> Diff:
    """The diff that `encode` wrote.

    Raises:
        msgspec.ValidationError: with the path of the field that does not fit.
    """
    return msgspec.json.decode(data, type=Diff)


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `encode`'s output."""
    definition = msgspec.json.schema(Diff)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs Diff",
        **definition,
    }
