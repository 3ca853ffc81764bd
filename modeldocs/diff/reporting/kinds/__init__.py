"""The kinds of changes: all words for one kind in one module."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.kinds import (
    attribute,
    body,
    move,
    network,
    one_sided,
    operator,
    output,
    parameters,
    region,
    regrouping,
    rewiring,
    shape,
)

KINDS: Final[dict[str, KindWords]] = {
    "network": network.WORDS,
    "attribute": attribute.WORDS,
    "operator": operator.WORDS,
    "inserted": one_sided.WORDS,
    "deleted": one_sided.WORDS,
    "rewired": rewiring.WORDS,
    "shape": shape.WORDS,
    "parameters": parameters.WORDS,
    "moved": move.WORDS,
    "regrouped": regrouping.WORDS,
    "body": body.WORDS,
    "region": region.WORDS,
    "output": output.WORDS,
}
"""The words for changes by kind; of changes that matter as much, the first kind comes first.

`inserted` layers are only in B, `deleted` ones only in A. Running adds two kinds: `region` and
`output`.
"""
