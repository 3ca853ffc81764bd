"""How numbers, shapes and layers are spelt, by example."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs import formatting
from modeldocs.ir import Layer, Parameter, TensorType


@pytest.mark.parametrize(
    ("value", "spelt"),
    [
        (None, "unknown"),
        (0, "0"),
        (7, "7"),
        (999, "999"),
        (999.5, "999.5"),
        (999.96, "1 k"),
        (1000, "1 k"),
        (1234, "1.23 k"),
        (9_999, "10 k"),
        (431_080, "431 k"),
        (999_499, "999 k"),
        (999_500, "1 M"),
        (999_999, "1 M"),
        (25_557_032, "25.6 M"),
        (60_965_224, "61 M"),
        (4_090_000_000, "4.09 G"),
        (999_999_999_999, "1 T"),
        (10**15, "1,000 T"),
        (-1_234, "-1.23 k"),
        (0.5, "0.5"),
        (0.000_01, "0.00001"),
        (3.14159, "3.142"),
    ],
)
def test_count(value, spelt):
    assert formatting.count(value) == spelt


def test_count_of_a_unit():
    assert formatting.count(3.86e9, "FLOP/s") == "3.86 GFLOP/s"
    assert formatting.count(12, "FLOP/s") == "12 FLOP/s"


@pytest.mark.parametrize(
    ("value", "spelt"),
    [
        (None, "unknown"),
        (0, "0 B"),
        (1, "1 B"),
        (1_023, "1,023 B"),
        (1_024, "1 KiB"),
        (1_536, "1.5 KiB"),
        (1_023 * 1_024, "1,023 KiB"),
        (1_024**2 - 1, "1 MiB"),
        (157_286_400, "150 MiB"),
        (244_403_360, "233 MiB"),
        (1_024**4 - 1, "1 TiB"),
        (-2_048, "-2 KiB"),
    ],
)
def test_size(value, spelt):
    assert formatting.size(value) == spelt


@given(st.integers(-(10**20), 10**20) | st.floats(-1e18, 1e18))
def test_no_number_is_spelt_with_an_exponent_and_each_is_near_its_value(value):
    for text, base in ((formatting.count(value), 1000), (formatting.size(int(value)), 1024)):
        number, unit = re.fullmatch(r"(-?[\d,]+(?:\.\d+)?) ?([kMGT]?|B|[KMGT]iB)", text).groups()
        power = ("", "k", "M", "G", "T").index(
            unit.removesuffix("iB").removesuffix("B").replace("K", "k")
        )
        said = float(number.replace(",", "")) * base**power
        assert said == pytest.approx(
            float(value) if base == 1000 else int(value), rel=6e-3, abs=1e-9
        )


def test_exact():
    assert formatting.exact(25_557_032) == "25,557,032"
    assert formatting.exact(0) == "0"
    assert formatting.exact(-1234) == "-1,234"
    assert formatting.exact(None) == "unknown"


@pytest.mark.parametrize(
    ("dims", "spelt"),
    [
        ((1, 64, 56, 56), "1×64×56×56"),
        (("batch", 3, None), "batch×3×?"),
        ((7,), "7"),
        ((), "scalar"),
        ((0, 4), "0×4"),
        (None, "?"),
    ],
)
def test_shape(dims, spelt):
    assert formatting.shape(TensorType(shape=dims, dtype="float32")) == spelt


def test_the_shape_of_no_tensor():
    assert formatting.shape(None) == "?"


@pytest.mark.parametrize(
    ("value", "spelt"),
    [
        ([3, 3], "3×3"),
        ((1,), "1"),
        ([], ""),
        (1.001e-05, "1.001e-5"),
        (0.9, "0.9"),
        (1e300, "1e300"),
        (True, "true"),
        ("SAME", "SAME"),
        (None, "None"),
        ([[1, 2], [3]], "1×2×3"),
    ],
)
def test_setting(value, spelt):
    assert formatting.setting(value) == spelt


def test_window():
    assert formatting.window([3, 5]) == "3×5"
    assert formatting.window(None) == formatting.window([]) == ""


def test_pads():
    assert formatting.pads([1, 1, 1, 1]) == "1"
    assert formatting.pads([0, 0, 0, 0]) == "0"
    assert formatting.pads([0, 1, 0, 1]) == "0, 1, 0, 1"
    assert formatting.pads(None) == ""


def layer(operator: str, weight: tuple[int, ...] = (), **attributes: object) -> Layer:
    parameter = Parameter(name="w", role="weight", shape=weight, dtype="float32")
    parameters = (parameter,) if weight else ()
    return Layer(id="l", name="l", operator=operator, attributes=attributes, parameters=parameters)


@pytest.mark.parametrize(
    ("shown", "spelt"),
    [
        (layer("Relu"), "Relu"),
        (layer("caffe::PriorBox"), "caffe::PriorBox"),
        (layer("Gemm", (1000, 2048)), "Gemm · 2048 → 1000"),
        (
            layer("Conv", (128, 64, 3, 3), kernel_shape=[3, 3], strides=[2, 2]),
            "Conv 3×3 /2 · 64 → 128",
        ),
        (
            layer("Conv", (256, 48, 5, 5), kernel_shape=[5, 5], strides=[1, 1], group=2),
            "Conv 5×5 in 2 groups · 96 → 256",
        ),
        (layer("Conv", (8, 4, 1, 7), kernel_shape=[1, 7], strides=[1, 2]), "Conv 1×7 /1×2 · 4 → 8"),
        (layer("MaxPool", kernel_shape=[3, 3], strides=[2, 2]), "MaxPool 3×3 /2"),
    ],
)
def test_headline(shown, spelt):
    assert formatting.headline(shown) == spelt


@pytest.mark.parametrize(
    ("value", "spelt"),
    [
        (None, "not comparable"),
        (0.0, "0"),
        (3.14e-7, "3e-7"),
        (9.6e-4, "0.001"),
        (0.0234, "0.02"),
        (1.04, "1"),
        (38.0, "40"),
        (12345.0, "1e4"),
    ],
)
def test_error(value, spelt):
    assert formatting.error(value) == spelt
