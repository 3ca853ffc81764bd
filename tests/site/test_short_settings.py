"""Settings of layers in a few characters, over operators of every family."""
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from modeldocs.ir import Constant, Layer
from modeldocs.site.port.short_settings import MAX_LENGTH, short_settings

CONV = {"kernel_shape": [3, 3], "strides": [1, 1], "dilations": [1, 1], "group": 1}


def text(operator: str, padding: str | None = None, **attributes: Any) -> str:
    layer = Layer(id="a-1", name="a", operator=operator, attributes=attributes, padding=padding)
    return " ".join(one.text for one in short_settings(layer))


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (text("Conv", **CONV, pads=[1, 1, 1, 1]), "3×3 pad 1"),
        (text("Conv", **CONV | {"strides": [2, 2]}, pads=[0, 0, 1, 1]), "3×3 /2 pad 0,0,1,1"),
        (text("Conv", "SAME", **CONV, pads=[0, 0, 1, 1]), "3×3 pad 0,0,1,1 SAME"),
        (text("Conv", "VALID", **CONV, pads=[0, 0, 0, 0]), "3×3 VALID"),
        (text("Conv", "SAME", **CONV), "3×3 SAME"),
        (text("Conv", kernel_shape=[7, 1], strides=[2, 1], pads=[3, 0, 3, 0]), "7×1 /2×1 pad 3,0,3,0"),
        (text("Conv", kernel_shape=[5], strides=[2], pads=[2, 2]), "5 /2 pad 2"),
        (text("Conv", **CONV | {"dilations": [6, 6]}, pads=[6] * 4), "3×3 pad 6 dilation 6"),
        (text("Conv", **CONV | {"dilations": [1, 2]}), "3×3 dilation 1×2"),
        (text("Conv", **CONV | {"group": 384}), "3×3 groups 384"),
        (text("Conv", **CONV, bias=0.0), "3×3 bias 0"),
        (text("Conv", kernel_shape=[None, 3]), "None×3"),
        (text("ConvTranspose", kernel_shape=[2, 2], strides=[2, 2], output_padding=[0, 0]), "2×2 /2"),
        (text("ConvTranspose", kernel_shape=[2, 2], output_padding=[1, 1]), "2×2 output pad 1"),
        (text("MaxPool", "ceil", kernel_shape=[3, 3], pads=[0] * 4, ceil_mode=1), "3×3 ceil"),
        (text("MaxPool", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=0), "2×2 /2"),
        (text("MaxPool", kernel_shape=[3, 3], ceil_mode=1), "3×3 ceil"),
        (text("AveragePool", kernel_shape=[3, 3], count_include_pad=1), "3×3 count_include_pad 1"),
        (text("GlobalAveragePool", "valid"), "valid"),
        (text("BatchNormalization", epsilon=1e-05), "ε 1e-5"),
        (text("BatchNormalization", epsilon=0.001, scale=1.0), "ε 0.001 scale 1"),
        (text("BatchNormalization", epsilon=1.001e-05), "ε 1.001e-5"),
        (text("LayerNormalization", axis=-1, epsilon=1e-12), "ε 1e-12 axis -1"),
        (text("LRN", size=5, alpha=0.0001, beta=0.75, bias=1.0), "size 5 alpha 0.0001 beta 0.75 bias 1"),
        (text("LeakyRelu", alpha=0.2), "alpha 0.2"),
        (text("Clip", min=0.0, max=6.0), "min 0 max 6"),
        (text("Gelu", approximate="tanh"), "approximate tanh"),
        (text("Softmax", axis=1), "axis 1"),
        (text("Dropout", ratio=0.5), "ratio 0.5"),
        (text("Attention", num_heads=12, is_causal=0), "num_heads 12"),
        (text("Attention", num_heads=12, is_causal=1), "num_heads 12 is_causal 1"),
        (text("Slice", axes=[2, 3], starts=[4, 4], ends=[60, 60], steps=[1, 1]), "axes 2,3 starts 4,4 ends 60,60"),
        (text("LSTM", hidden_size=128, direction="bidirectional"), "hidden_size 128 direction bidirectional"),
        (text("caffe::PriorBox", min_size=[30], flip=True), "min_size 30 flip true"),
        (text("Pad", value=Constant("float32", (1, 50), "3f2a")), "value float32[1×50] 3f2a"),
        (text("Relu"), ""),
        (text("X", limit="inf", none=None), "limit inf none None"),
    ],
)  # fmt: skip
def test_settings_that_change_something_are_told(told: str, wanted: str) -> None:
    assert told == wanted


def test_a_long_setting_is_cut_and_its_whole_value_kept() -> None:
    layer = Layer(id="a-1", name="a", operator="Add", attributes={"B": list(range(50))})
    [one] = short_settings(layer)
    assert len(one.text) == MAX_LENGTH and one.text.endswith("…")
    assert one.key == "B " + ",".join(map(str, range(50)))
