"""Constant tables as the expressions that compute them, by the laws that they follow."""

from __future__ import annotations

import ast
import dataclasses
from typing import Final

import numpy as np

from modeldocs.generators import syntax
from modeldocs.generators.network import Array
from modeldocs.numeric.parity.regions.laws.band import AttentionBand
from modeldocs.numeric.parity.regions.laws.reading import law_of
from modeldocs.numeric.parity.regions.laws.turns import Turns

_FUNCTIONS: Final = {"cos": "torch.cos", "sin": "torch.sin"}


def table(array: Array) -> ast.expr | None:
    """The expression of a table that follows a law; None for others."""
    same = _filled(array)
    if same is not None:
        return same
    law = law_of(np.asarray(array))
    if isinstance(law, AttentionBand) and np.array_equal(law.array(), array):
        return _band(law)
    return _turns(law, array) if isinstance(law, Turns) else None


def _filled(array: Array) -> ast.expr | None:
    """A tensor of one number."""
    first = array.reshape(-1)[0]
    if array.dtype != np.float32 or not (array == first).all():
        return None
    return syntax.expression(
        "torch.full(shape, number)", shape=tuple(array.shape), number=_short(float(first))
    )


def _short(number: float) -> float:
    """The shortest number that is the same in single precision."""
    return float(str(np.float32(number)))


def _band(law: AttentionBand) -> ast.expr | None:
    """A causal mask or a window: what is seen, as booleans or as numbers."""
    rows, columns = law.shape[-2:]
    open_places = syntax.expression(
        "torch.ones(rows, columns, dtype=torch.bool)", rows=rows, columns=columns
    )
    for name, edge in (("tril", law.last), ("triu", law.first)):
        if edge is not None:
            operands = () if edge == 0 else (edge,)
            open_places = syntax.method(open_places, name, *operands)
    if law.dtype != np.bool_:
        seen, hidden = (_short(one) for one in (law.seen, law.hidden))
        open_places = syntax.expression(
            "torch.where(places, seen, hidden)", places=open_places, seen=seen, hidden=hidden
        )
    elif not law.seen:
        open_places = syntax.expression("~places", places=open_places)
    if law.shape == (rows, columns):
        return open_places
    return syntax.method(open_places, "expand", *law.shape)


def _turns(law: Turns, array: Array) -> ast.expr | None:
    """A table of cosines or sines, as rotary positions have it, with numbers that people write."""
    first, step = round(law.first), law.step
    base = next((b for b in _rounded(law.base) if _is_table(law, b, array)), None)
    if law.function not in _FUNCTIONS or law.turned or base is None or abs(step - 1) > 1e-3:
        return None
    if abs(law.first - first) > 1e-3:
        return None
    angles = syntax.call(
        "rotary_angles",
        syntax.literal(law.rows),
        syntax.literal(law.speeds),
        base=base,
        first=first,
    )
    if law.columns == "tiled":
        angles = syntax.method(angles, "tile", 2)
    elif law.columns == "repeated":
        angles = syntax.method(angles, "repeat_interleave", 2, dim=1)
    made = syntax.call(_FUNCTIONS[law.function], angles)
    columns = law.speeds * (1 if law.columns == "once" else 2)
    if tuple(array.shape) == (law.rows, columns):
        return made
    return syntax.method(made, "reshape", *array.shape)


def _rounded(number: float) -> list[float]:
    """A number rounded to fewer and fewer digits, the roundest first."""
    return [float(f"{number:.{digits}g}") for digits in (1, 2, 3, 4, 6)]


def _is_table(law: Turns, base: float, array: Array) -> bool:
    """Whether a table with that base has these values, in single precision."""
    made = dataclasses.replace(law, base=base, step=1.0, first=float(round(law.first))).array()
    return bool(np.abs(made - array).max() <= 1e-6 * max(law.rows, 10))
