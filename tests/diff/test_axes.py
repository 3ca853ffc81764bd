"""Layers that work along another axis compute something else, whatever the axis is called."""

from __future__ import annotations

import pytest

from modeldocs import diff

from ..onnxes import graph

IMAGE = "net (float[2,3,4,4] x) => (y) {{ a = Conv (x, w) {body} }}"


def compared(folder, *bodies, template=IMAGE, opset=20, **weights):
    texts = (template.format(body=body) for body in bodies)
    return diff.compare(*(graph(folder, text, opset, **weights) for text in texts))


@pytest.mark.parametrize(
    ("flat", "same"),
    [
        ("f = Flatten (a)  y = Softmax <axis = 1> (f)", False),
        ("f = Reshape (a, s)  y = Softmax <axis = 1> (f)", True),
        ("f = Reshape (a, s)  y = Softmax <axis = 2> (f)", False),
    ],
)
def test_softmax_over_channels_is_not_one_over_all_of_an_image(tmp_path, flat, same):
    found = compared(tmp_path, "y = Softmax <axis = 1> (a)", flat, w=(3, 3, 1, 1), s=[2, 3, 16])
    axis = [change for change in found.changes if change.attribute == "axis"]
    assert [change.consequence for change in axis] == ([] if same else ["computes"])


def test_the_title_has_both_axes_with_the_shapes_that_they_are_of(tmp_path):
    flat = "f = Flatten (a)  y = Softmax <axis = 1> (f)"
    found = compared(tmp_path, "y = Softmax <axis = 1> (a)", flat, w=(3, 3, 1, 1))
    (title,) = [change.title for change in found.changes if change.attribute == "axis"]
    assert title.startswith("axis 1 of 2×3×4×4 → 1 of 2×48")


SEQUENCE = "net (float[3,6,16] x) => (y) {{ {body} }}"
OVER_THE_SEQUENCE = """
  p = MatMul (x, w)
  a = Attention <q_num_heads = 2, kv_num_heads = 2> (p, p, p)
  y = MatMul (a, v)"""
OVER_THE_BATCH = """
  p = MatMul (x, w)
  t = Transpose <perm = [1,0,2]> (p)
  a = Attention <q_num_heads = 2, kv_num_heads = 2> (t, t, t)
  b = Transpose <perm = [1,0,2]> (a)
  y = MatMul (b, v)"""
TRANSPOSED_AND_BACK = """
  t = Transpose <perm = [1,0,2]> (x)
  p = MatMul (t, w)
  u = Transpose <perm = [1,0,2]> (p)
  a = Attention <q_num_heads = 2, kv_num_heads = 2> (u, u, u)
  y = MatMul (a, v)"""


@pytest.mark.parametrize(
    ("other", "verdict"), [(OVER_THE_BATCH, "different"), (TRANSPOSED_AND_BACK, "equivalent")]
)
def test_attention_over_the_batch_is_another_function(tmp_path, other, verdict):
    found = compared(
        tmp_path, OVER_THE_SEQUENCE, other, template=SEQUENCE, opset=23, w=(16, 16), v=(16, 16)
    )
    assert found.verdict == verdict
    if verdict == "different":
        assert found.changes[0].consequence == "computes"


def test_rows_of_a_dense_layer_in_another_order_are_no_spelling(tmp_path):
    """Its weights can be permuted to other features, not to other rows."""
    turned = OVER_THE_SEQUENCE.replace("MatMul (x, w)", "MatMul (z, w)")
    turned = "z = Transpose <perm = [1,0,2]> (x)" + turned
    found = compared(
        tmp_path, OVER_THE_SEQUENCE, turned, template=SEQUENCE, opset=23, w=(16, 16), v=(16, 16)
    )
    assert found.changes[0].consequence == "computes"
