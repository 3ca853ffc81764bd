"""Operations that JAX computes together."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from modeldocs.generators import joining, syntax
from modeldocs.generators.flax import moves, self_attention
from modeldocs.generators.joining import Renamed
from modeldocs.generators.operation import LoweredOperation

_KEPT = "keepdims"


def merged(
    operations: Sequence[LoweredOperation], outputs: Sequence[str]
) -> tuple[list[LoweredOperation], Renamed]:
    """Operations, with attention and its projections as one, and each reduction with the dropping
    of the axes that it kept.
    """
    return joining.joined(self_attention.together(operations, outputs), outputs, _joined)


def _joined(
    first: LoweredOperation,
    second: LoweredOperation,
    parts: Counter[str],  # noqa: ARG001
) -> LoweredOperation | None:
    """A reduction without the axes that the second operation drops."""
    call = first.expression
    settings = {one.arg: one.value for one in call.keywords} if isinstance(call, ast.Call) else {}
    if not isinstance(call, ast.Call) or _KEPT not in settings or "axis" not in settings:
        return None
    dropped = moves.squeezed(syntax.value(first.results[0]), settings["axis"])
    if ast.dump(second.expression) != ast.dump(dropped):
        return None
    plain = copy.deepcopy(call)
    plain.keywords = [one for one in plain.keywords if one.arg != _KEPT]
    return replace(first, expression=plain)
