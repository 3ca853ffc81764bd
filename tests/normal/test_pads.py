"""Pads become numbers, beside the strategy that they came from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..onnxes import graph

WINDOW = st.tuples(st.integers(1, 40), st.integers(1, 7), st.integers(1, 5), st.integers(1, 4))
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def pooled(folder, strategy, size, kernel, stride, dilation):
    """The layer of a pool over one axis of `size` elements."""
    text = (
        f'net (float[1,1,{size}] x) => (y) {{ y = MaxPool <auto_pad = "{strategy}", '
        f"kernel_shape = [{kernel}], strides = [{stride}], dilations = [{dilation}]> (x) }}"
    )
    return graph(folder, text).layers[0]


def windows(size, total, kernel, stride, dilation):
    """How many whole windows lie on an axis: counted, not computed."""
    reach = (kernel - 1) * dilation
    return sum(1 for start in range(0, size + total, stride) if start + reach < size + total)


@QUICK
@given(WINDOW)
def test_same_adds_the_fewest_elements_that_give_one_window_a_stride(tmp_path, window):
    size, kernel, stride, dilation = window
    begin, end = pooled(tmp_path, "SAME_UPPER", *window).attributes["pads"]
    wanted = len(range(0, size, stride))
    assert windows(size, begin + end, kernel, stride, dilation) >= wanted
    if begin + end:
        assert windows(size, begin + end - 1, kernel, stride, dilation) < wanted
    assert end - begin in (0, 1)


@QUICK
@given(WINDOW)
def test_same_lower_is_same_upper_turned_round(tmp_path, window):
    upper = pooled(tmp_path, "SAME_UPPER", *window).attributes["pads"]
    lower = pooled(tmp_path, "SAME_LOWER", *window).attributes["pads"]
    assert lower == upper[::-1]


@QUICK
@given(WINDOW)
def test_the_output_is_the_input_by_the_stride_rounded_up(tmp_path, window):
    layer = pooled(tmp_path, "SAME_LOWER", *window)
    assert layer.outputs[0].shape == (1, 1, len(range(0, window[0], window[2])))


def test_the_strategy_stays_beside_the_numbers(tmp_path):
    for strategy in ("SAME_UPPER", "SAME_LOWER"):
        layer = pooled(tmp_path, strategy, 9, 4, 2, 1)
        assert layer.padding == strategy
        assert "auto_pad" not in layer.attributes


def test_valid_is_no_pads(tmp_path):
    layer = pooled(tmp_path, "VALID", 9, 4, 2, 1)
    assert (layer.padding, layer.attributes["pads"]) == ("VALID", [0, 0])


def test_pads_are_told_begins_before_ends(tmp_path):
    text = """net (float[1,3,8,9] x) => (y) { y = Conv <auto_pad = "SAME_UPPER"> (x, w) }"""
    conv = graph(tmp_path, text, w=(4, 3, 4, 2)).layers[0]
    assert conv.attributes["pads"] == [1, 0, 2, 1]
    assert conv.attributes["kernel_shape"] == [4, 2]


def test_without_a_word_pads_are_none_and_all_is_written_out(tmp_path):
    conv = graph(tmp_path, "net (float[1,4,8,8] x) => (y) { y = Conv <group = 2> (x, w) }",
                 w=(4, 2, 3, 3)).layers[0]  # fmt: skip
    assert conv.padding is None
    assert conv.attributes == {
        "dilations": [1, 1], "group": 2, "kernel_shape": [3, 3], "pads": [0, 0, 0, 0],
        "strides": [1, 1],
    }  # fmt: skip


def test_a_symbolic_input_keeps_the_strategy_and_tells_no_pads(tmp_path):
    text = """net (float[1,3,h,w] x) => (y) { y = Conv <auto_pad = "SAME_UPPER"> (x, k) }"""
    conv = graph(tmp_path, text, k=(4, 3, 3, 3)).layers[0]
    assert conv.padding == "SAME_UPPER"
    assert "pads" not in conv.attributes


def test_a_symbolic_batch_leaves_pads_known(tmp_path):
    text = """net (float[n,3,8,8] x) => (y) { y = Conv <auto_pad = "SAME_UPPER"> (x, k) }"""
    conv = graph(tmp_path, text, k=(4, 3, 3, 3)).layers[0]
    assert conv.attributes["pads"] == [1, 1, 1, 1]


def padded(
    folder, consumer, pads=(0, 0, 1, 2, 0, 0, 3, 4), before="Relu", value=0.0, mode="constant"
):
    """Layers of `before`, a Pad, and the operator that reads it."""
    text = (
        f"net (float[1,3,9,9] x) => (y) {{ r = {before} (x) "
        f'p = Pad <mode = "{mode}"> (r, a, v) y = {consumer} }}'
    )
    weights = {"a": np.array(pads), "v": np.float32(value), "w": (4, 3, 3, 3)}
    return graph(folder, text, **weights).layers


CONV = "Conv <pads = [1,0,0,0]> (p, w)"
AVERAGE = "AveragePool <kernel_shape = [5,5]> (p)"
MAXIMUM = "MaxPool <kernel_shape = [5,5]> (p)"


class TestPadNodes:
    def test_into_a_convolution_they_are_added_to_its_own(self, tmp_path):
        relu, conv = padded(tmp_path, CONV)
        assert conv.attributes["pads"] == [2, 2, 3, 4]
        assert conv.inputs[0].value == relu.id
        assert [origin.operator for origin in conv.origins] == ["Conv", "Pad"]
        assert conv.outputs[0].shape == (1, 4, 12, 13)

    def test_into_average_pooling_the_zeros_count(self, tmp_path):
        _, pool = padded(tmp_path, AVERAGE)
        assert pool.attributes["pads"] == [1, 2, 3, 4]
        assert pool.attributes["count_include_pad"] == 1

    def test_not_where_the_pool_has_pads_of_its_own_that_do_not_count(self, tmp_path):
        layers = padded(tmp_path, "AveragePool <kernel_shape = [3,3], pads = [1,1,1,1]> (p)")
        assert [layer.operator for layer in layers] == ["Relu", "Pad", "AveragePool"]
        assert layers[-1].attributes["count_include_pad"] == 0

    def test_not_into_a_pool_that_rounds_up(self, tmp_path):
        layers = padded(tmp_path, "AveragePool <kernel_shape = [3,3], ceil_mode = 1> (p)")
        assert [layer.operator for layer in layers] == ["Relu", "Pad", "AveragePool"]

    @pytest.mark.parametrize("before", ["Relu", "Sigmoid", "Abs", "Exp"])
    def test_into_max_pooling_where_nothing_is_negative(self, tmp_path, before):
        layers = padded(tmp_path, MAXIMUM, before=before)
        assert [layer.operator for layer in layers] == [before, "MaxPool"]
        assert layers[-1].attributes["pads"] == [1, 2, 3, 4]

    def test_minus_infinity_into_max_pooling_of_any_numbers(self, tmp_path):
        layers = padded(tmp_path, MAXIMUM, before="Tanh", value=-np.inf)
        assert [layer.operator for layer in layers] == ["Tanh", "MaxPool"]
        layers = padded(tmp_path, AVERAGE, value=-np.inf)
        assert [layer.operator for layer in layers] == ["Relu", "Pad", "AveragePool"]

    def test_not_where_the_pooling_tells_places(self, tmp_path):
        text = """net (float[1,3,9,9] x) => (y, i) {
            r = Relu (x) p = Pad (r, n) y, i = MaxPool <kernel_shape = [3,3]> (p)
        }"""
        layers = graph(tmp_path, text, n=np.array([0, 0, 1, 1, 0, 0, 1, 1])).layers
        assert "Pad" in [layer.operator for layer in layers]

    @pytest.mark.parametrize("before", ["Tanh", "LeakyRelu", "Neg", "Gelu"])
    def test_not_into_max_pooling_where_something_may_be(self, tmp_path, before):
        layers = padded(tmp_path, MAXIMUM, before=before)
        assert [layer.operator for layer in layers] == [before, "Pad", "MaxPool"]

    def test_what_keeps_the_sign_is_seen_through(self, tmp_path):
        text = """net (float[1,3,9,9] x) => (y) {
            a = Relu (x) b = Sigmoid (x) c = Concat <axis = 1> (a, b)
            d = MaxPool <kernel_shape = [2,2]> (c) e = Transpose <perm = [0,1,3,2]> (d)
            p = Pad (e, n) y = MaxPool <kernel_shape = [3,3]> (p)
        }"""
        layers = graph(tmp_path, text, n=np.array([0, 0, 1, 1, 0, 0, 1, 1])).layers
        assert "Pad" not in [layer.operator for layer in layers]

    def test_one_branch_that_may_be_negative_is_enough_to_keep_it(self, tmp_path):
        text = """net (float[1,3,9,9] x) => (y) {
            a = Relu (x) b = Tanh (x) c = Concat <axis = 1> (a, b)
            p = Pad (c, n) y = MaxPool <kernel_shape = [3,3]> (p)
        }"""
        layers = graph(tmp_path, text, n=np.array([0, 0, 1, 1, 0, 0, 1, 1])).layers
        assert "Pad" in [layer.operator for layer in layers]

    @pytest.mark.parametrize(
        "changes",
        [
            {"value": 1.0},
            {"mode": "reflect"},
            {"mode": "edge"},
            {"pads": (0, 1, 1, 1, 0, 0, 1, 1)},
            {"pads": (1, 0, 1, 1, 0, 0, 1, 1)},
            {"pads": (0, 0, -1, 1, 0, 0, 1, 1)},
        ],
    )
    def test_other_pads_stay_layers(self, tmp_path, changes):
        layers = padded(tmp_path, AVERAGE, **changes)
        assert [layer.operator for layer in layers] == ["Relu", "Pad", "AveragePool"]

    def test_pads_that_two_read_stay_a_layer(self, tmp_path):
        text = """net (float[1,3,9,9] x) => (y, z) {
            p = Pad (x, n) y = Conv (p, w) z = Conv (p, w)
        }"""
        layers = graph(tmp_path, text, n=np.array([0, 0, 1, 1, 0, 0, 1, 1]), w=(4, 3, 3, 3)).layers
        assert [layer.operator for layer in layers] == ["Pad", "Conv", "Conv"]

    def test_pads_under_a_strategy_stay_a_layer_where_it_is_not_resolved(self, tmp_path):
        text = """net (float[1,3,h,w] x) => (y) {
            p = Pad (x, n) y = Conv <auto_pad = "SAME_UPPER"> (p, k)
        }"""
        layers = graph(tmp_path, text, n=np.array([0, 0, 1, 1, 0, 0, 1, 1]), k=(4, 3, 3, 3)).layers
        assert [layer.operator for layer in layers] == ["Pad", "Conv"]

    def test_pads_of_named_axes(self, tmp_path):
        text = """net (float[1,3,9,9] x) => (y) { p = Pad (x, n, , axes) y = Conv (p, w) }"""
        layers = graph(
            tmp_path, text, n=np.array([1, 2, 3, 4]), axes=np.array([2, 3]), w=(4, 3, 3, 3)
        ).layers
        assert [layer.operator for layer in layers] == ["Conv"]
        assert layers[0].attributes["pads"] == [1, 2, 3, 4]
        assert layers[0].outputs[0].shape == (1, 4, 11, 13)

    def test_pads_as_the_old_operator_has_them(self, tmp_path):
        text = """net (float[1,3,9,9] x) => (float[1,4,9,9] y) {
            p = Pad <pads = [0,0,1,1,0,0,1,1]> (x) y = Conv <kernel_shape = [3,3]> (p, w)
        }"""
        (conv,) = graph(tmp_path, text, opset=9, w=(4, 3, 3, 3)).layers
        assert conv.attributes["pads"] == [1, 1, 1, 1]


class TestTransposedConvolution:
    def load(self, folder, settings, shape="1,3,5,6"):
        text = f"net (float[{shape}] x) => (y) {{ y = ConvTranspose {settings} (x, w) }}"
        return graph(folder, text, w=(3, 4, 3, 4)).layers[0]

    def test_all_is_written_out(self, tmp_path):
        layer = self.load(tmp_path, "")
        assert layer.attributes == {
            "dilations": [1, 1], "group": 1, "kernel_shape": [3, 4], "pads": [0, 0, 0, 0],
            "strides": [1, 1],
        }  # fmt: skip

    @pytest.mark.parametrize("strategy", ["SAME_UPPER", "SAME_LOWER"])
    def test_same_cuts_off_what_goes_beyond_the_input_by_the_stride(self, tmp_path, strategy):
        layer = self.load(tmp_path, f'<strides = [2,2], auto_pad = "{strategy}">')
        assert layer.padding == strategy
        assert layer.outputs[0].shape == (1, 4, 10, 12)
        expected = [0, 1, 1, 1] if strategy == "SAME_UPPER" else [1, 1, 0, 1]
        assert layer.attributes["pads"] == expected

    def test_a_shape_asked_for_decides_the_pads(self, tmp_path):
        layer = self.load(tmp_path, "<strides = [2,2], output_shape = [10, 13]>")
        assert layer.attributes["pads"] == [1, 1, 0, 0]
        assert layer.outputs[0].shape == (1, 4, 10, 13)

    def test_output_padding_stays(self, tmp_path):
        layer = self.load(tmp_path, "<strides = [2,2], pads = [1,1,1,1], output_padding = [1,0]>")
        assert layer.attributes["pads"] == [1, 1, 1, 1]
        assert layer.attributes["output_padding"] == [1, 0]
        assert layer.outputs[0].shape == (1, 4, 10, 12)
