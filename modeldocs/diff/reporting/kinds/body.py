"""A difference in a graph inside of layers: in a branch, or in the body of a loop."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.diff import Change
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.rows import Nodes
from modeldocs.ir import Layer

_NAMES: Final = {"then_branch": "then branch", "else_branch": "else branch"}


def name(attribute: str) -> str:
    """The body of an attribute, in words."""
    return _NAMES.get(attribute, attribute)


def title(name: str, layer: Layer, count: int, inside: Change) -> str:
    """A change inside of the body of a layer, or of as many as `count`."""
    where = f"{layer.operator} {layer.name!r}" if count == 1 else f"{count} {layer.operator}s"
    return f"{name} of {where}: {inside.title}"


def _phrase(change: Change) -> str:
    return f"another {change.title.partition(': ')[0]}"


def _row(change: Change, _: Nodes, __: Nodes) -> str:
    return change.title.partition(": ")[2]


WORDS: Final = KindWords(phrase=_phrase, row=_row)
