"""The plain data of a weight map: the steps that compute one port's weights from another's."""

from __future__ import annotations

from typing import Any

import msgspec

from modeldocs.struct import Struct

FORMAT = 2
SIGN = b'\n "weights": {\n  "'
"""What each file of ours holds."""
"""Version of the file's format; raised when a field changes its name or its meaning."""

Ids = tuple[str, ...]
"""Ids of layers of one graph."""

Pair = tuple[Ids, Ids]
"""Layers of A and their counterparts in B, usually one each; empty where a side has none."""


class WeightStep(Struct, frozen=True):
    """One operation on arrays in the computation of a weight.

    `op` is `read` (the stored weight `name`), `slice` (from `start` to `stop` along `axis`), `norm`
    (the root of the sum of squares over `axes`, which stay), `weight_norm` (the first operand, with
    the second as its norm over `axes`), or a function of numpy: `transpose` (`axes`), `reshape`
    (`shape`), `take` (`indices` along `axis`), `flip` (along `axes`), `concatenate` (`axis`),
    `full` (`shape`, `value`), `add`, `subtract`, `multiply`, `divide`, `sqrt`. `of` are the
    numbers, from 0, of the steps that give its operands.
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


class MappedWeight(Struct, frozen=True):
    """A stored weight of one port, computed from those of another; the last step is the weight.

    `target` is its name in the port that stores it, `shape` and `dtype` are as they are there.
    `pair` are the layers of A and of B that have it. `text` describes the steps (`OIHW → HWIO`);
    it is empty where the weight is copied as it is. `turned` is true where a kernel is flipped, its
    height and width are exchanged, or its rows are in another order: tools that copy weights do not
    do that, and no shape shows that it is missing.
    """

    target: str
    pair: Pair
    shape: tuple[int, ...]
    dtype: str
    steps: tuple[WeightStep, ...]
    text: str = ""
    turned: bool = False

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the stored weights that it is computed from."""
        return tuple(dict.fromkeys(step.name for step in self.steps if step.name is not None))

    @property
    def reordered(self) -> bool:
        """Whether its elements are in another order than that of the axes of one stored weight."""
        return any(
            step.op in ("take", "concatenate")
            or (step.op == "transpose" and self.steps[step.of[0]].op == "reshape")
            for step in self.steps
        )


class Weights(Struct, frozen=True):
    """The weights of one port, the target, computed from those of another, the source.

    `unused` are the names of the source's weights that no weight of the target is computed from,
    `unset` those of the target's weights that are not computed from the source's. `invented` are
    the mapped weights with ones or zeros that the source does not have.
    """

    mapped: tuple[MappedWeight, ...] = ()
    unused: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()

    @property
    def converted(self) -> tuple[MappedWeight, ...]:
        """The mapped weights that are not copied as they are."""
        return tuple(weight for weight in self.mapped if weight.text)

    @property
    def turned(self) -> tuple[MappedWeight, ...]:
        """The mapped weights that must be rearranged by hand."""
        return tuple(weight for weight in self.mapped if weight.turned)


class WeightMap(Struct, frozen=True):
    """The file of `modeldocs diff A B --weights FILE`: B's weights, computed from A's."""

    a: str
    b: str
    weights: Weights
    format: int = FORMAT


def encode(weight_map: WeightMap) -> bytes:
    """The file's JSON, indented; the same bytes for the same weights."""
    return msgspec.json.format(msgspec.json.encode(weight_map, order="deterministic"), indent=1)


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `encode`'s output."""
    definition = msgspec.json.schema(WeightMap)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs weight map",
        **definition,
    }
