"""Norms that are written out in other ways, with the same numbers before and after."""

from __future__ import annotations

import numpy as np
import pytest

from .nets import Net

EPSILON = np.float32(1e-5)

CHANNELS = """net (float[2,6,4,5] x) => (y) {
  m = ReduceMean <axes = [1]> (x)   d = Sub (x, m)
  q = Mul (d, d)   v = ReduceMean <axes = [1]> (q)
  e = Add (v, eps)   r = Sqrt (e)
  n = Div (d, r)   s = Mul (n, gamma)   y = Add (s, beta)
}"""
TWICE = CHANNELS.replace(
    "n = Div (d, r)", "m2 = ReduceMean <axes = [1]> (x)  d2 = Sub (x, m2)  n = Div (d2, r)"
)
AXES_PUT_BACK = CHANNELS.replace(
    "v = ReduceMean <axes = [1]> (q)",
    "w = ReduceMean <axes = [1], keepdims = 0> (q)  v = Reshape (w, shape)",
)
WHOLE = CHANNELS.replace("axes = [1]", "axes = [1, 2, 3]")
GIVEN = {"eps": EPSILON, "gamma": (6, 1, 1), "beta": (6, 1, 1)}


@pytest.mark.parametrize(
    "text", [CHANNELS, TWICE, AXES_PUT_BACK], ids=["once", "twice", "put back"]
)
def test_a_norm_over_the_channels_is_a_layer_norm_with_the_channels_last(text):
    shape = {"shape": np.array([2, 1, 4, 5])} if text is AXES_PUT_BACK else {}
    net = Net(text, opset=13, **GIVEN, **shape)
    assert net.layers() == ["LayerNormalization"]
    (norm,) = net.graph().layers
    assert [(one.role, one.shape) for one in norm.parameters] == [("scale", (6,)), ("bias", (6,))]


def test_a_norm_over_all_but_the_batch_is_a_group_norm_of_one_group():
    net = Net(WHOLE, opset=13, **GIVEN)
    assert net.layers() == ["GroupNormalization"]
    assert net.graph().layers[0].attributes["num_groups"] == 1


def test_a_scale_that_varies_over_other_axes_is_no_part_of_the_norm():
    net = Net(CHANNELS, opset=13, eps=EPSILON, gamma=(4, 5), beta=(4, 5))
    assert net.layers() == ["LayerNormalization", "Mul", "Add"]


WEIGHT_NORM = """net (float[1,3,8] x) => (y) {
  n = ReduceL2 <axes = [1, 2]> (v)
  d = Div (g, n)   w = Mul (v, d)
  y = Conv (x, w, b)
}"""


def test_a_normalized_weight_is_a_weight_of_two_parameters():
    net = Net(WEIGHT_NORM, opset=13, v=(4, 3, 5), g=(4, 1, 1), b=(4,))
    assert net.layers() == ["Conv"]
    (conv,) = net.graph().layers
    found = [(one.role, one.name, one.shape) for one in conv.parameters]
    assert found == [
        ("weight", "v", (4, 3, 5)),
        ("weight_norm", "g", (4, 1, 1)),
        ("bias", "b", (4,)),
    ]
    assert conv.macs == 4 * 3 * 5 * 4


def test_a_weight_that_another_norm_divides_is_computed_by_layers():
    text = WEIGHT_NORM.replace("Div (g, n)", "Div (n, g)")
    assert len(Net(text, opset=13, v=(4, 3, 5), g=(4, 1, 1), b=(4,)).layers()) == 4
