"""Pooling: Caffe's number of windows, and its numbers, against an independent account."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders.emission.windows import WindowSpan

from .nets import load, net, one, operators, run, shapes


def windows(size: int, kernel: int, stride: int, pad: int) -> list[tuple[int, int]]:
    """Start and end of each window, by laying one after the other until the image is covered."""
    found = [(-pad, kernel - pad)]
    while found[-1][1] < size + pad:
        start = found[-1][0] + stride
        found.append((start, start + kernel))
    if pad and found[-1][0] >= size:
        found.pop()
    return found


def reference(image: np.ndarray, kernel: int, stride: int, pad: int, method: str) -> np.ndarray:
    """Pooling as Caffe does it: averages divide by the window's part of the padded image."""
    height, width = image.shape
    rows, columns = (windows(size, kernel, stride, pad) for size in (height, width))
    made = np.zeros((len(rows), len(columns)), np.float32)
    for i, (top, bottom) in enumerate(rows):
        for j, (left, right) in enumerate(columns):
            seen = image[max(top, 0) : bottom, max(left, 0) : right]
            area = (min(bottom, height + pad) - top) * (min(right, width + pad) - left)
            made[i, j] = seen.max() if method == "MAX" else seen.sum() / area
    return made


geometry = st.tuples(
    st.integers(1, 14), st.integers(1, 14), st.integers(1, 5), st.integers(1, 5), st.integers(0, 4)
)


@given(geometry)
def test_the_windows_are_caffes(shape):
    height, _, kernel, stride, pad = shape
    assume(pad < kernel <= height + 2 * pad)
    span = WindowSpan(height, kernel, stride, pad, clips=pad > 0)
    assert span.count == len(windows(height, kernel, stride, pad))


@settings(deadline=None, max_examples=120)
@given(geometry, st.sampled_from(["MAX", "AVE"]), st.integers(0, 2**31))
def test_the_numbers_are_caffes(shape, method, seed):
    height, width, kernel, stride, pad = shape
    assume(pad < kernel <= min(height, width) + 2 * pad)
    param = f"pool: {method} kernel_size: {kernel} stride: {stride} pad: {pad}"
    model = load(net(one("Pooling", f"pooling_param {{ {param} }}"), (1, 1, height, width)))
    assume(operators(model) != ["caffe::Pooling"])
    image = np.random.default_rng(seed).normal(size=(height, width)).astype(np.float32)
    (made,) = run(model, image[None, None])
    expected = reference(image, kernel, stride, pad, method)
    assert shapes(model)["y"] == (1, 1, *expected.shape)
    np.testing.assert_allclose(made[0, 0], expected, rtol=1e-4, atol=1e-5)


def test_rounding_up_is_told_and_stands_in_the_end_pads():
    model = load(net(one("Pooling", "pooling_param { kernel_size: 3 stride: 2 }"), (1, 2, 8, 8)))
    (node,) = model.graph
    assert list(node.attributes["pads"].as_ints()) == [0, 0, 1, 1]
    assert origin.read(node).padding == "ceil"


def test_rounding_down_can_be_asked_for():
    param = "pooling_param { kernel_size: 3 stride: 2 round_mode: FLOOR }"
    model = load(net(one("Pooling", param), (1, 2, 8, 8)))
    assert shapes(model)["y"] == (1, 2, 3, 3)
    assert origin.read(model.graph[0]).padding == "floor"


def test_a_window_wholly_outside_stays_caffes_own():
    model = load(net(one("Pooling", "pooling_param { kernel_size: 1 stride: 3 }"), (1, 1, 5, 5)))
    assert operators(model) == ["caffe::Pooling"]
    assert shapes(model)["y"] == (1, 1, 3, 3)


@pytest.mark.parametrize(("method", "op"), [("MAX", "GlobalMaxPool"), ("AVE", "GlobalAveragePool")])
def test_global_pooling(method, op):
    param = f"pooling_param {{ pool: {method} global_pooling: true }}"
    model = load(net(one("Pooling", param), (1, 5, 7, 9)))
    assert operators(model) == [op]
    assert shapes(model)["y"] == (1, 5, 1, 1)


def test_height_and_width_can_differ():
    param = "kernel_h: 3 kernel_w: 5 stride_h: 2 stride_w: 1 pad_h: 1 pad_w: 0"
    model = load(net(one("Pooling", f"pooling_param {{ {param} }}"), (1, 1, 8, 8)))
    assert shapes(model)["y"] == (1, 1, 5, 4)


def test_stochastic_pooling_is_caffes_own():
    param = "pooling_param { pool: STOCHASTIC kernel_size: 2 stride: 2 }"
    model = load(net(one("Pooling", param), (1, 1, 8, 8)))
    assert operators(model) == ["caffe::Pooling"]
    assert shapes(model)["y"] == (1, 1, 4, 4)


@pytest.mark.parametrize("param", ["kernel_size: 2 pad: 2", "kernel_size: 2 stride: 0", ""])
def test_impossible_windows_are_told(param):
    with pytest.raises(ModeldocsError) as caught:
        load(net(one("Pooling", f"pooling_param {{ {param} }}"), (1, 1, 8, 8)))
    assert caught.value.line == 2
