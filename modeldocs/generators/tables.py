"""Constant tables as the expressions that compute them, by the laws that they follow."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from modeldocs.generators import syntax
from modeldocs.generators.grids import grid_of
from modeldocs.generators.literals import shortest
from modeldocs.generators.network import Array
from modeldocs.numeric.parity.regions.laws.band import AttentionBand
from modeldocs.numeric.parity.regions.laws.reading import law_of
from modeldocs.numeric.parity.regions.laws.shifted_windows import ShiftedWindows
from modeldocs.numeric.parity.regions.laws.turns import Turns


@dataclass(frozen=True)
class TableTemplates:
    """What a target writes for the steps of a table: Python code of the variables that it names.

    `rotary_angles(length, speeds, base=…, first=…)`, `grid_numbers(sizes, steps, first=…)` and
    `parts_of_shifted_windows(image, window, shift)` are functions of the program.
    """

    full: str
    """A tensor of `shape` that is `number` everywhere."""
    ones: str
    """A matrix of `rows` and `columns` that is true everywhere."""
    lower: str
    """The part of `x` on and below diagonal `k`."""
    upper: str
    """The part of `x` on and above diagonal `k`."""
    where: str
    """`seen` where `places`, else `hidden`."""
    inverted: str
    """Where not `places`."""
    stretched: str
    """`x` stretched to `shape`."""
    reshaped: str
    """`x` in another `shape`."""
    tiled: str
    """The columns of `x` twice, one copy behind the other."""
    repeated: str
    """Each column of `x` twice."""
    gathered: str
    """The last axis of `x` at `places`."""
    stacked: str
    """The tensors `parts`, joined along a new last axis."""
    functions: Mapping[str, str]
    """The functions `cos` and `sin`."""


def table(array: Array, templates: TableTemplates) -> ast.expr | None:
    """The expression of a table that follows a law; None for others."""
    same = _filled(array, templates)
    if same is not None:
        return same
    if array.dtype.kind in "iu":
        return _grid(array, templates)
    law = law_of(np.asarray(array))
    if isinstance(law, AttentionBand) and np.array_equal(law.array(), array):
        return _band(law, templates)
    if isinstance(law, ShiftedWindows):
        return _windows(law, templates)
    return _turns(law, array, templates) if isinstance(law, Turns) else None


def _filled(array: Array, templates: TableTemplates) -> ast.expr | None:
    """A tensor of one number."""
    first = array.reshape(-1)[0]
    if array.dtype != np.float32 or not (array == first).all():
        return None
    return syntax.expression(
        templates.full, shape=tuple(array.shape), number=shortest(float(first))
    )


def _grid(array: Array, templates: TableTemplates) -> ast.expr | None:
    """Integers that grow by a step along each axis."""
    grid = grid_of(array)
    if grid is None:
        return None
    numbers = syntax.call(
        "grid_numbers",
        syntax.literal(grid.sizes),
        syntax.literal(grid.steps),
        first=grid.first,
    )
    if grid.sizes == array.shape:
        return numbers
    return syntax.expression(templates.reshaped, x=numbers, shape=tuple(array.shape))


def _band(law: AttentionBand, templates: TableTemplates) -> ast.expr | None:
    """A causal mask or a window: what is seen, as booleans or as numbers."""
    rows, columns = law.shape[-2:]
    places = syntax.expression(templates.ones, rows=rows, columns=columns)
    for template, edge in ((templates.lower, law.last), (templates.upper, law.first)):
        if edge is not None:
            places = _without_zero(syntax.expression(template, x=places, k=edge))
    places = _told(places, law.seen, law.hidden, law.dtype, templates)
    if law.shape == (rows, columns):
        return places
    return syntax.expression(templates.stretched, x=places, shape=tuple(law.shape))


def _windows(law: ShiftedWindows, templates: TableTemplates) -> ast.expr:
    """A mask of shifted windows."""
    image, window, shift = (
        syntax.literal(pair)
        for pair in (
            (law.grid[0] * law.window[0], law.grid[1] * law.window[1]),
            law.window,
            law.shift,
        )
    )
    apart = syntax.call("parts_of_shifted_windows", image, window, shift)
    places = _told(apart, law.hidden, law.seen, law.dtype, templates)
    tokens = law.window[0] * law.window[1]
    if law.shape == (law.grid[0] * law.grid[1], tokens, tokens):
        return places
    return syntax.expression(templates.reshaped, x=places, shape=tuple(law.shape))


def _told(
    places: ast.expr,
    inside: float,
    outside: float,
    dtype: np.dtype[np.generic],
    templates: TableTemplates,
) -> ast.expr:
    """The value at places that are true, and that at others."""
    if dtype != np.bool_:
        seen, hidden = shortest(inside), shortest(outside)
        return syntax.expression(templates.where, places=places, seen=seen, hidden=hidden)
    return places if inside else syntax.expression(templates.inverted, places=places)


def _without_zero(call: ast.expr) -> ast.expr:
    """A call without its last operand where that is 0, which is the main diagonal."""
    assert isinstance(call, ast.Call)
    if syntax.constant_of(call.args[-1]) == (0,):
        call.args.pop()
    return call


def _turns(law: Turns, array: Array, templates: TableTemplates) -> ast.expr | None:
    """A table of cosines or sines, as rotary positions have it, with numbers that people write."""
    first, step = round(law.first), law.step
    base = next((b for b in _rounded(law.base) if _is_table(law, b, array)), None)
    if law.function not in templates.functions or law.turned or base is None:
        return None
    if abs(step - 1) > 1e-3 or abs(law.first - first) > 1e-3:
        return None
    angles = syntax.call(
        "rotary_angles",
        syntax.literal(law.rows),
        syntax.literal(law.speeds),
        base=base,
        first=first,
    )
    if law.columns in ("tiled", "repeated"):
        template = templates.tiled if law.columns == "tiled" else templates.repeated
        angles = syntax.expression(template, x=angles)
    made = syntax.call(templates.functions[law.function], angles)
    columns = law.speeds * (1 if law.columns == "once" else 2)
    if tuple(array.shape) == (law.rows, columns):
        return made
    return syntax.expression(templates.reshaped, x=made, shape=tuple(array.shape))


def _rounded(number: float) -> list[float]:
    """A number rounded to fewer and fewer digits, the roundest first."""
    return [float(f"{number:.{digits}g}") for digits in (1, 2, 3, 4, 6)]


def _is_table(law: Turns, base: float, array: Array) -> bool:
    """Whether a table with that base has these values, in single precision."""
    made = dataclasses.replace(law, base=base, step=1.0, first=float(round(law.first))).array()
    return bool(np.abs(made - array).max() <= 1e-6 * max(law.rows, 10))
