"""Definitions and weights cut off and changed at random: a graph, or one sentence."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .nets import load_or_hear, net, one
from .saved import saved
from .test_first_dialect import OLD

FUZZ = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

PRIORS = "prior_box_param { min_size: 1 max_size: 2 aspect_ratio: 2 }"
CONV = "convolution_param { num_output: 4 kernel_size: 3 group: 2 pad: 1 }"
TWIST = 'twist_param { by: 3 kind: SOFT name: "x" }'
LAYERS = (
    one("Convolution", CONV, tops="b", name="conv")
    + one("BatchNorm", "batch_norm_param { eps: 0.01 }", "b", "b", name="norm")
    + one("Scale", "scale_param { bias_term: true }", "b", "b", name="scale")
    + one("Pooling", "pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 }", "b", "c")
    + one("Slice", "slice_param { axis: 1 slice_point: 1 }", "c", "de")
    + one("Eltwise", "eltwise_param { coeff: 1 coeff: -2 }", "cc", "f")
    + one("Permute", "permute_param { order: 0 order: 2 }", "f", "g")
    + one("Reshape", "reshape_param { shape { dim: 0 dim: -1 } }", "g", "h")
    + one("InnerProduct", 'param { name: "w" } inner_product_param { num_output: 3 }', "h", "i")
    + one("PriorBox", PRIORS, "ca", "k")
    + one("Twist", TWIST, "i", "l", name="twist")
)
TEXT = net(LAYERS, (1, 4, 9, 9))
WHOLE = TEXT.encode()
BLOBS = {
    "conv": [np.ones((4, 2, 3, 3)), np.ones(4)],
    "norm": [np.ones(4), np.ones(4), np.ones(1)],
    "scale": [np.ones(4), np.ones(4)],
    "twist": [np.ones((3, 3))],
}
SAVED = saved(TEXT.replace(TWIST, ""), **BLOBS)
FIRST = saved(OLD, legacy=True, conv=[np.ones((8, 3, 5, 5))])
CHANGES = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=6)
WORDS = st.sampled_from(
    ["{", "}", "<", "[", "]", ":", '"', "'", "#", "\\", "layer", "type", "dim: ", "-1 ", "0 ",
     "1e999 ", "99999999999 ", "nan ", "inf ", "true ", "TEST ", "\x00", "é", "axis: ", "pad: "]
)  # fmt: skip


def changed(whole, changes):
    data = bytearray(whole)
    for place, value in changes:
        data[int(place * len(data))] = value
    return bytes(data)


@FUZZ
@given(st.integers(0, len(WHOLE)))
def test_a_definition_cut_off_anywhere(tmp_path, length):
    load_or_hear("net.prototxt", WHOLE[:length], tmp_path)


@FUZZ
@given(CHANGES)
def test_a_definition_with_bytes_changed(tmp_path, changes):
    load_or_hear("net.prototxt", changed(WHOLE, changes), tmp_path)


@FUZZ
@given(st.lists(st.tuples(st.floats(0, 1), WORDS), min_size=1, max_size=4))
def test_a_definition_with_words_put_in(tmp_path, words):
    text = TEXT
    for place, word in words:
        at = int(place * len(text))
        text = text[:at] + word + text[at:]
    load_or_hear("net.prototxt", text.encode(), tmp_path)


@FUZZ
@given(st.data())
def test_a_definition_with_numbers_changed(tmp_path, data):
    parts = TEXT.replace(":", ": ").split(" ")
    numbers = [index for index, part in enumerate(parts) if part.lstrip("-").isdigit()]
    for index in data.draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=4)):
        parts[index] = str(data.draw(st.sampled_from([0, -1, 1, 2, 3, 7, 31, 2**16, 2**31, 2**63])))
    load_or_hear("net.prototxt", " ".join(parts).encode(), tmp_path)


@FUZZ
@given(st.sampled_from([SAVED, FIRST]), st.floats(0, 1))
def test_a_caffemodel_cut_off_anywhere(tmp_path, whole, part):
    load_or_hear("net.caffemodel", whole[: int(part * len(whole))], tmp_path)


@FUZZ
@given(st.sampled_from([SAVED, FIRST[:600]]), CHANGES)
def test_a_caffemodel_with_bytes_changed(tmp_path, whole, changes):
    load_or_hear("net.caffemodel", changed(whole, changes), tmp_path)


@FUZZ
@given(st.binary(max_size=200))
def test_a_caffemodel_of_random_bytes(tmp_path, data):
    load_or_hear("net.caffemodel", b"\xa2\x06" + bytes([len(data) & 127]) + data, tmp_path)


def test_the_seeds_are_whole(tmp_path):
    assert load_or_hear("net.prototxt", WHOLE, tmp_path) is not None
    assert load_or_hear("net.caffemodel", SAVED, tmp_path) is not None
    assert load_or_hear("first.caffemodel", FIRST, tmp_path) is not None
    assert load_or_hear("old.prototxt", OLD.encode(), tmp_path) is not None


def test_deep_nesting_and_many_fields_are_refused(tmp_path):
    assert load_or_hear("net.prototxt", b"layer { " * 10_000, tmp_path) is None
    assert load_or_hear("net.caffemodel", b"\x08\x01" * (2**20 + 1), tmp_path) is None
