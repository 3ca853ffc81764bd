"""The name of a group: the module that holds its layers, or what their names begin with."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from modeldocs.ir import Layer

_SEPARATORS = re.compile(r"[/._\-:]+")


def source_name(layers: Sequence[Layer]) -> str:
    """The innermost module that holds all layers, or the common beginning of their names.

    Empty where they have nothing in common: a beginning ends at a separator, so that `conv1` and
    `conv2` have none.
    """
    common = _beginning([[module.path for module in layer.modules] for layer in layers])
    if common:
        return common[-1]
    names = [layer.name for layer in layers]
    start = "".join(_beginning([list(name) for name in names]))
    if start in names:
        return start
    ends = [match.start() for match in _SEPARATORS.finditer(start)]
    return start[: ends[-1]] if ends else ""


def _beginning(lists: Sequence[list[str]]) -> list[str]:
    """What all lists begin with."""
    first, last = min(lists), max(lists)
    pairs = zip(first, last, strict=False)
    return [one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)]
