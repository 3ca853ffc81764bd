"""Laws of constants are found by their numbers, in tables made in other ways than the laws make
them, and undone where they make networks differ.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch

from modeldocs import diff as engine
from modeldocs.numeric.parity.regions.laws import law
from modeldocs.numeric.parity.regions.laws.band import band
from modeldocs.numeric.parity.regions.laws.geometric import geometric
from modeldocs.numeric.parity.regions.laws.reading import law_of
from modeldocs.numeric.parity.regions.laws.relations import relation
from modeldocs.numeric.parity.regions.laws.slopes import slopes
from modeldocs.numeric.parity.regions.laws.turns import turns

from . import nets


def angles(base: float, length: int, width: int, first: int = 0) -> torch.Tensor:
    """Angles as ports of LLaMA compute them, in float32."""
    speed = 1.0 / base ** (torch.arange(0, width, 2, dtype=torch.int64).float() / width)
    return torch.outer(torch.arange(first, first + length).float(), speed)


def by_loops(base: float, length: int, width: int) -> np.ndarray:
    """A table of sines in double precision, number by number, as old tutorials do."""
    made = np.zeros((length, width // 2), np.float32)
    for place in range(length):
        for i in range(width // 2):
            made[place, i] = math.sin(place / math.pow(base, 2 * i / width))
    return made


@pytest.mark.parametrize("base", [100.0, 10000.0, 500000.0])
@pytest.mark.parametrize(("length", "width"), [(10, 8), (128, 64), (1024, 128)])
def test_the_base_of_a_rotary_table_is_found_in_any_form(base, length, width):
    angle = angles(base, length, width)
    forms = {
        "once": angle.cos(),
        "tiled": torch.cat((angle, angle), -1).sin()[None, None],
        "repeated": angle.repeat_interleave(2, dim=-1).cos()[None],
    }
    for name, table in forms.items():
        found = turns(table.numpy())
        assert found is not None and found.columns == name
        assert found.base == pytest.approx(base, rel=1e-3) and (found.step, found.first) == (
            pytest.approx(1.0),
            0.0,
        )
        np.testing.assert_allclose(found.array(), table.numpy(), atol=2e-4)
    assert turns(by_loops(base, length, width)).function == "sin"
    assert turns(np.ascontiguousarray(angle.sin().numpy().T)).turned


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (angles(100.0, 12, 16).cos(), "rotary base 10,000 → 100"),
        (angles(10000.0, 12, 16, first=1).cos(), "first position 0 → 1"),
        ((angles(10000.0, 12, 16) / 4).cos(), "step of positions 1 → 0.25"),
        (angles(10000.0, 12, 16).sin(), "function cos → sin"),
    ],
)
def test_two_rotary_tables_differ_by_their_numbers(table, told):
    ours, theirs = turns(angles(10000.0, 12, 16).cos().numpy()), turns(table.numpy())
    assert [one.text for one in ours.difference(theirs)] == [told]
    assert not law.differing(ours, turns(angles(10000.0, 9, 16).cos().numpy()[:, None]))


def test_the_numbers_of_one_table_are_put_into_the_form_of_another():
    ours = turns(angles(10000.0, 12, 16).cos().numpy())
    theirs = turns(angles(100.0, 12, 16).repeat_interleave(2, -1).sin().numpy())
    right = angles(10000.0, 12, 16).repeat_interleave(2, -1).sin().numpy()
    changed = law.undone(theirs, ours, turns(angles(100.0, 12, 16).cos().numpy()))
    np.testing.assert_allclose(changed, right, atol=1e-6)


def test_other_tables_of_small_numbers_are_no_turns():
    random = np.random.default_rng(0)
    assert turns(random.uniform(-1, 1, (12, 16)).astype(np.float32)) is None
    assert turns(np.ones((12, 16), np.float32)) is None
    assert turns(np.linspace(-1, 1, 192, dtype=np.float32).reshape(12, 16)) is None


def masks(length: int, first: int | None, last: int | None) -> list[np.ndarray]:
    """One mask in the forms that ports have."""
    seen = np.zeros((length, length), bool)
    for query in range(length):
        low = 0 if first is None else max(query + first, 0)
        high = length if last is None else max(query + last + 1, 0)
        seen[query, low:high] = True
    added = np.where(seen, 0, -np.inf).astype(np.float32)
    return [seen, ~seen, added, (1e9 * ~seen).astype(np.float32)[None, None], seen.astype(np.int64)]


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        (-8, 0, ["window 8 → 9"]),
        (None, 0, ["window 8 → none"]),
        (-7, 1, ["diagonal 0 → 1"]),
        (-7, 7, ["diagonal 0 → 7"]),
        (0, 7, ["transposed"]),
        (-3, 2, ["window 8 → 4", "diagonal 0 → 2"]),
    ],
)
def test_masks_are_bands_whatever_stands_for_hidden(first, last, told):
    for ours in masks(20, -7, 0):
        for theirs in masks(20, first, last):
            found = band(ours), band(theirs)
            assert [one.text for one in found[0].difference(found[1])] == told
            np.testing.assert_array_equal(found[1].array(), theirs)


def test_a_mask_of_blocks_is_no_band():
    place = np.arange(12)
    assert band(place[:, None] // 4 == place // 4) is None


def rolled(image: tuple[int, int], window: tuple[int, int], shift: tuple[int, int]) -> np.ndarray:
    """The mask of shifted windows as ports of Swin make it, painting the image part by part."""
    painted = np.zeros(image)
    parts = [
        [slice(0, -size), slice(-size, -by), slice(-by, None)] if by else [slice(None)]
        for size, by in zip(window, shift, strict=True)
    ]
    for label, (rows, columns) in enumerate(itertools.product(*parts)):
        painted[rows, columns] = label
    cut = painted.reshape(image[0] // window[0], window[0], image[1] // window[1], window[1])
    labels = cut.transpose(0, 2, 1, 3).reshape(-1, window[0] * window[1])
    return np.where(labels[:, :, None] != labels[:, None], -100, 0).astype(np.float32)


@pytest.mark.parametrize(
    ("image", "window", "shift"),
    [
        ((56, 56), (7, 7), (3, 3)),
        ((16, 24), (4, 8), (2, 4)),
        ((8, 8), (4, 4), (2, 0)),
        ((7, 14), (7, 7), (0, 3)),
    ],
)
def test_masks_of_shifted_windows_are_found_in_any_form(image, window, shift):
    mask = rolled(image, window, shift)
    for table in (mask, mask[None, :, None], mask != 0, mask == 0):
        found = law_of(table)
        assert (found.window, found.shift) == (window, shift)
        np.testing.assert_array_equal(found.array(), table)


def test_windows_that_are_shifted_by_more_are_told():
    ours, theirs = (law_of(rolled((56, 56), (7, 7), (by, by))) for by in (3, 4))
    assert [one.text for one in ours.difference(theirs)] == ["shift of windows 3 → 4"]


def test_a_mask_with_another_pixel_hidden_is_no_mask_of_windows():
    mask = rolled((8, 8), (4, 4), (2, 2))
    mask[1, 2, 3] = -100 - mask[1, 2, 3]
    assert law_of(mask) is None


def biases(slope: list[float], length: int = 9) -> np.ndarray:
    made = np.zeros((len(slope), length, length), np.float32)
    for head, one in enumerate(slope):
        for query in range(length):
            made[head, query] = [-one * (query - key) for key in range(length)]
    return made


HALVES = [2.0 ** -(head + 1) for head in range(8)]


@pytest.mark.parametrize(
    ("theirs", "told"),
    [
        (HALVES[::-1], "slopes reversed"),
        ([2 * one for one in HALVES], "factor of slopes 1 → 2"),
        ([2.0 ** (-(head + 1) / 2) for head in range(8)], "ratio of slopes 0.5 → 0.7071"),
    ],
)
def test_slopes_are_found_beside_what_hides(theirs, told):
    hides = np.where(np.tri(9, dtype=bool), 0, -np.inf).astype(np.float32)
    found = slopes(biases(HALVES) + hides), slopes(-biases(theirs)[None])
    assert [one.text for one in found[0].difference(found[1])] == [told]
    np.testing.assert_allclose(found[1].array(), -biases(theirs)[None], rtol=1e-6)


def test_frequencies_are_geometric_rows():
    half = 16
    ours = geometric(torch.exp(-math.log(10000) * torch.arange(half).float() / half).numpy())
    theirs = geometric(np.array([1000.0 ** (-k / half) for k in range(half)], np.float32)[None])
    assert [one.text for one in ours.difference(theirs)] == ["base 10,000 → 1,000"]
    assert law_of(np.linspace(1, 2, 16, dtype=np.float32)) is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (np.transpose, "transposed"),
        (np.negative, "negated"),
        (lambda x: x * 3, "factor 1 → 3"),
        (lambda x: x[::-1], "axis 0 reversed"),
        (lambda x: np.roll(x, 1, 0), "axis 0 shifted by 1"),
        (lambda x: np.hstack([x[:, 3:], x[:, :3]]), "halves of axis 1 exchanged"),
    ],
)
def test_tables_without_a_law_are_compared_as_they_are(change, told):
    table = np.random.default_rng(1).normal(size=(6, 6))
    assert relation(table, np.ascontiguousarray(change(table))).text == told


def test_tables_that_part_are_told_from_where_on():
    table = np.arange(24).reshape(4, 6)
    other = table.copy()
    other[2:, 3] += 1
    assert relation(table, other).text == "2 of 24 values, the first at [2,3]"


def turned(base: float, *, more: str = "r = Identity (q)", factor: float = 1.0) -> str:
    """A network that multiplies by a table of cosines, which it computes of constants."""
    numbers = {"o": 0.0, "i": 1.0, "l": 12.0, "m": 8.0, "b": 1 / base, "d": 0.125, "f": factor}
    constants = "".join(f"{k} = Constant <value_float = {x:.12f}> ()" for k, x in numbers.items())
    return f"""net (float[1,12,16] x) => (float[1,12,8] y) {{
      {constants}  e = Constant <value_ints = [1]> ()
      p = Range (o, l, i)  k = Range (o, m, i)  g = Mul (k, d)  s = Pow (b, g)
      t = Unsqueeze (p, e)  a = Mul (t, s)  n = Cos (a)  c = Mul (n, f)
      h = MatMul (x, w)  q = Mul (h, c)  {more}  y = MatMul (r, v) }}"""


def grave(ours: str, theirs: str) -> list[engine.Change]:
    """The changes that running leaves graver than spelling."""
    weights = {"w": (16, 8), "v": (8, 8)}
    result, structure = nets.parity(*(nets.loaded(text, **weights) for text in (ours, theirs)))
    changes = engine.settle(structure, result).changes
    return [one for one in changes if one.consequence != "spelling"]


def test_a_base_that_is_another_is_told_of_the_constant():
    (change,) = grave(turned(10000.0), turned(100.0))
    assert change.kind == "attribute" and change.title.endswith(": rotary base 10,000 → 100")


def test_a_constant_that_only_rounds_otherwise_is_not_what_acts():
    other = turned(10000.0, more="r = Relu (q)", factor=1 + 2**-22)
    (change,) = grave(turned(10000.0), other)
    assert (change.kind, change.operator) == ("inserted", "Relu")


MASKED = """net (float[1,6,16] x, int64[6] m) => (float[1,6,8] y) {
  h = MatMul (x, w)  MASK  t = Transpose <perm = [0, 2, 1]> (h)  z = MatMul (h, t)
  l = Constant <value_float = -10000.0> ()  s = Where (k, z, l)  p = Softmax <axis = -1> (s)
  y = MatMul (p, h) }"""


def masked(mask: str) -> str:
    """Attention of a sequence to itself, with a mask made of an input."""
    a, b = "a = Constant <value_ints = [0]> ()", "b = Constant <value_ints = [1]> ()"
    return MASKED.replace("MASK", f"{a} {b} {mask}")


@pytest.mark.parametrize(
    ("mask", "told"),
    [
        ("u = Unsqueeze (m, a)  o = CastLike (b, m)  e = Equal (u, o)  k = Not (e)", "inverted"),
        ("o = CastLike (b, m)  e = Equal (m, o)  k = Unsqueeze (e, b)", "transposed"),
    ],
)
def test_a_mask_that_each_network_makes_of_an_input_is_told_as_what_it_is(mask, told):
    """However many layers make it: what the one hides is what the other shows."""
    right = masked("u = Unsqueeze (m, a)  k = Cast <to = 9> (u)")
    (change,) = grave(right, masked(mask))
    assert change.title.endswith(told)


def test_data_that_a_layer_scales_are_told_by_that_layer():
    right = turned(100.0, more="z = Mul (q, i)  r = Softmax (z)")
    (change,) = grave(right.replace("Mul (q, i)", "Div (q, m)"), right)
    assert (change.kind, change.operator) == ("deleted", "Div")


def test_two_tables_in_each_others_place_are_told_as_exchanged():
    more = "j = Tanh (h)  u = Sin (a)  z = Mul (j, u)  r = Sub (q, z)"
    right = turned(100.0, more=more)
    wrong = right.replace("q = Mul (h, c)", "").replace("z = Mul (j, u)", "z = Mul (j, c)")
    wrong = wrong.replace("u = Sin (a)", "u = Sin (a)  q = Mul (h, u)")
    (change,) = grave(right, wrong)
    assert change.title.endswith("tables exchanged, function cos → sin")


def padded(*pads: tuple[int, int]) -> str:
    """Two convolutions, each behind a Pad with so many values before and behind the signal."""
    constants = "  ".join(
        f"p{n} = Constant <value_ints = [0, 0, {before}, 0, 0, {behind}]> ()"
        for n, (before, behind) in enumerate(pads)
    )
    return f"""net (float[1,8,20] x) => (float[1,8,20] y) {{ {constants}
  a = Pad <mode = "reflect"> (x, p0)  h = Conv (a, w)  r = Relu (h)
  b = Pad <mode = "reflect"> (r, p1)  y = Conv (b, v) }}"""


def test_a_constant_with_which_a_layer_cannot_run_explains_nothing():
    """Pads of other numbers also look like masks of other levels, which fit no signal."""
    weights = {"w": (8, 8, 7), "v": (8, 8, 3)}
    pair = padded((3, 3), (1, 1)), padded((6, 0), (2, 0))
    result, structure = nets.parity(*(nets.loaded(text, **weights) for text in pair))
    titles = [one.title for one in engine.settle(structure, result).changes]
    assert sorted(titles) == [
        "pads 0,0,1,0,0,1 → 0,0,2,0,0,0 in one Pad layer (pad-2)",
        "pads 0,0,3,0,0,3 → 0,0,6,0,0,0 in one Pad layer (pad-1)",
    ]
