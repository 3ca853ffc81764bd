"""The plain data of how one port's weights become another's: a recipe for each of them."""

from __future__ import annotations

from typing import Any

import msgspec

from modeldocs.struct import Struct

FORMAT = 1
"""Version of the file's format; raised when a field changes its meaning."""

Ids = tuple[str, ...]
"""Ids of layers of one graph."""

Pair = tuple[Ids, Ids]
"""Layers of A and their counterparts in B: one each mostly, none where only one side has any."""


class Step(Struct, frozen=True):
    """One array on the way to a weight.

    `op` is `read` (the stored weight `name`), `slice` (from `start` to `stop` along `axis`), or a
    function of numpy: `transpose` (`axes`), `reshape` (`shape`), `take` (`indices` along `axis`),
    `flip` (along `axes`), `concatenate` (`axis`), `full` (`shape`, `value`), `add`, `subtract`,
    `multiply`, `divide`, `sqrt`. `of` are the steps that it is made of, by number from 0.
    """

    op: str
    of: tuple[int, ...] = ()
    name: str | None = None
    axes: tuple[int, ...] | None = None
    shape: tuple[int, ...] | None = None
    axis: int | None = None
    start: int | None = None
    stop: int | None = None
    indices: tuple[int, ...] | None = None
    value: float | None = None


class Carried(Struct, frozen=True):
    """How a stored weight of one port is made of those of another; the last step is the weight.

    `target` is its name in the port that takes it, `shape` and `dtype` are as it is stored there.
    `pair` are the layers that it goes between, A's and B's. `text` tells it in words (`OIHW →
    HWIO`), and is empty where the weight is taken as it is. `turned` tells that a kernel is turned
    on the way: no tool that copies weights does that, and no shape shows that it was left out.
    """

    target: str
    pair: Pair
    shape: tuple[int, ...]
    dtype: str
    steps: tuple[Step, ...]
    text: str = ""
    turned: bool = False

    @property
    def sources(self) -> tuple[str, ...]:
        """The stored weights that it is made of, by name."""
        return tuple(dict.fromkeys(step.name for step in self.steps if step.name is not None))


class Weights(Struct, frozen=True):
    """One port's weights in the other.

    `unused` are weights of the one that the other has no place for, `unset` those of the other
    that nothing in the one decides; both by name.
    """

    carried: tuple[Carried, ...] = ()
    unused: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()

    @property
    def converted(self) -> tuple[Carried, ...]:
        """Those that are not taken as they are."""
        return tuple(one for one in self.carried if one.text)

    @property
    def turned(self) -> tuple[Carried, ...]:
        """Those of a kernel that is turned on the way."""
        return tuple(one for one in self.carried if one.turned)


class WeightMap(Struct, frozen=True):
    """The file of `modeldocs diff A B --weights FILE`: A's weights in B."""

    a: str
    b: str
    weights: Weights
    format: int = FORMAT


def encode(made: WeightMap) -> bytes:
    """The file's JSON, a weight after the other, the same bytes for the same weights."""
    return msgspec.json.format(msgspec.json.encode(made, order="deterministic"), indent=1)


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `encode`'s output."""
    definition = msgspec.json.schema(WeightMap)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs weight map",
        **definition,
    }
