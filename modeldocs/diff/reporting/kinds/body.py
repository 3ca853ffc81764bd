"""A difference in a graph inside of layers: in a branch, or in the body of a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from modeldocs.diff.diff import Change
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.ir import Layer

_NAMES: Final = {"then_branch": "then branch", "else_branch": "else branch"}


def line(attribute: str, found: Sequence[tuple[Layer, Layer, Change]]) -> Change:
    """A difference in the body of this attribute as a change of the layers that have it."""
    layer, _, inside = found[0]
    name = _NAMES.get(attribute, attribute)
    pairs = tuple(dict.fromkeys(((a.id,), (b.id,)) for a, b, _ in found))
    where = (
        f"{layer.operator} {layer.name!r}" if len(pairs) == 1 else f"{len(pairs)} {layer.operator}s"
    )
    return msgspec.structs.replace(
        inside,
        kind="body",
        title=f"{name} of {where}: {inside.title}",
        pairs=pairs,
        operator=layer.operator,
        operator_b="",
        attribute=name,
        before=inside.before or inside.operator,
        after=inside.after or inside.operator_b,
        parameter_delta=0,  # the layer's own parameters are those of its bodies
    )


WORDS: Final = KindWords(
    phrase=lambda change: f"another {change.title.partition(': ')[0]}",
    row=lambda change, *_: change.title.partition(": ")[2],
)
