"""The plain data of a comparison: `Diff`, `Match` and `Change`, and their JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from modeldocs.diff.parity import Ids, Pair, Parity
from modeldocs.struct import Struct

FORMAT = 4
"""Version of the JSON format; raised when a field changes its meaning."""

CONSEQUENCES = ("computes", "order", "shape", "parameters", "spelling")
"""What a change means, most consequential first.

`computes`: something else is computed; `order`: the same layers, one of them elsewhere; `shape`:
tensors of another shape; `parameters`: others are learned; `spelling`: the same function, told
differently.
"""

UNCERTAIN = 0.5
"""Confidence below which a match is pointed out."""

KINDS = (
    "network",
    "attribute",
    "operator",
    "inserted",
    "deleted",
    "rewired",
    "shape",
    "parameters",
    "moved",
    "regrouped",
)
"""What happened. `inserted` layers are only in B, `deleted` only in A; `rewired` read others;
`regrouped` ones are fused on one side, or spelled in pieces. `network` is the only change of two
networks that have too little in common for their layers to be compared; its pairs are the layers
with equal weights, `before` and `after` how many layers have weights.
"""


class Match(Struct, frozen=True):
    """Layers (or inputs) of A, their counterparts in B, why they are held to be the same.

    One each mostly; several where one side has in pieces what the other has fused. A layer is in
    one match at most. `confidence` ranks matches between 0 and 1; it is no probability.

    Where the layer of B makes the elements of A's in another order of axes, what A's makes has to
    be reshaped to `sizes` and transposed by `order` for that. Both are empty where the order is
    the same, in whatever shape.
    """

    a: Ids
    b: Ids
    reason: str
    confidence: float
    sizes: tuple[int, ...] = ()
    order: tuple[int, ...] = ()


class Change(Struct, frozen=True):
    """One line of a diff: a difference, told once for all the layers that have it.

    `title` is the line; `text` a sentence on what it means. `before` is A's value, `after` B's.
    `operator` is that of the layers, `became` B's where it computes something else.
    `followers` counts further layers that differ only in consequence of this change. `delta` is
    the number of trainable parameters that B has more because of it: over all changes they add up
    to the difference of the totals.
    """

    kind: str
    consequence: str
    title: str
    text: str
    pairs: tuple[Pair, ...]
    operator: str = ""
    became: str = ""
    attribute: str | None = None
    before: Any = None
    after: Any = None
    followers: int = 0
    delta: int = 0


class Totals(Struct, frozen=True):
    """Size of one of the two graphs; a count is None where a dimension is unknown."""

    name: str
    layers: int
    parameters: int | None
    buffers: int | None
    macs: int | None = None


class Diff(Struct, frozen=True, omit_defaults=False):
    """Two graphs compared: which layers are the same, and what changed.

    `verdict` is `identical` (no change at all), `equivalent` (told differently, the same
    structure) or `different`; it is by structure alone, `parity` tells of the numbers where they
    were compared. `unchanged` counts A's matched layers that no change names. `consequences` and
    `kinds` count changes (lines) by each.
    """

    verdict: str
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
    def unlike(self) -> bool:
        """Whether the two are different networks, of which only what they share is told."""
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
