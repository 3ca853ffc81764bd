"""What the source calls a group: the module that holds its layers, or what their names begin with."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from modeldocs.ir import Layer

_SEPARATORS = re.compile(r"[/._\-:]+")


def source_name(layers: Sequence[Layer]) -> str:
    """The innermost module that holds all layers, or the common beginning of their names.

    Empty where they have nothing in common: a beginning ends at a separator, so that `conv1` and
    `conv2` have none.
    """
    paths = [tuple(module.path for module in layer.modules) for layer in layers]
    common = os.path.commonprefix(paths)
    if common:
        return str(common[-1])
    names = [layer.name for layer in layers]
    start = os.path.commonprefix(names)
    if start in names:
        return start
    ends = [match.start() for match in _SEPARATORS.finditer(start)]
    return start[: ends[-1]] if ends else ""
