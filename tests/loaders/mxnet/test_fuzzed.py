"""Symbols that are truncated or changed at random load, or raise an error of one sentence."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from modeldocs.errors import ModeldocsError

from .nets import node, symbol, unchecked

INTRICATE = symbol(
    node("null", "data", __shape__="(1, 4, 8, 8)"),
    node("null", "w"),
    node("null", "b"),
    node("Convolution", "c", 0, 1, 2, kernel="(3, 3)", num_filter="4", pad="(1, 1)"),
    node("null", "g"),
    node("null", "beta"),
    node("BatchNorm", "bn", 3, 4, 5, eps="0.001"),
    node("Activation", "relu", 6, act_type="relu"),
    node("Pooling", "pool", 7, kernel="(3, 3)", stride="(2, 2)", pooling_convention="full"),
    node("SliceChannel", "parts", 8, num_outputs="2"),
    node("Concat", "joined", [9, 0], [9, 1], dim="1", num_args="2"),
    node("transpose", "turned", 10, axes="(0, 2, 3, 1)"),
    node("Reshape", "flat", 11, shape="(0, -4, 2, -1, -2)"),
    node("slice", "cut", 12, begin="(None, 0)", end="(None, 2)"),
    node("null", "fw"),
    node("FullyConnected", "fc", 13, 14, num_hidden="10", no_bias="True"),
    node("null", "softmax_label"),
    node("SoftmaxOutput", "softmax", 15, 16),
    node("QuantumGate", "gate", 15),
    heads=[[17, 0, 0], [18, 0, 0]],
)
WHOLE = json.dumps(INTRICATE).encode()
FUZZ = settings(max_examples=120, deadline=None)

ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from([2**31, -1, 10**30, 1e400]),
    st.text(max_size=8), st.just([]), st.just({}), st.just([[0, 0, 0]] * 3),
    st.recursive(st.just([]), lambda inner: st.lists(inner, max_size=2), max_leaves=40),
)  # fmt: skip
WORDS = st.sampled_from(
    ["", "()", "(0, 0)", "(-1,)", "(1, 2, 3, 4, 5)", "(2147483647, 2)", "9" * 30, "-3", "None",
     "True", "nan", "1e308", "(((", "relu", "float16", "(None, None)", "(-4, -4, -4)", "inf"]
)  # fmt: skip


def load_or_refuse(data: bytes) -> None:
    message = ""
    try:
        unchecked(data)
    except ModeldocsError as error:
        message = error.reason
    assert "\n" not in message and len(message) < 1500


def test_the_intricate_one_is_whole():
    assert len(unchecked(WHOLE).graph.outputs) == 2


@FUZZ
@given(st.integers(0, len(WHOLE) - 1))
def test_cut_off_anywhere(length):
    load_or_refuse(WHOLE[:length])


@FUZZ
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=4))
def test_some_bytes_changed(changes):
    data = bytearray(WHOLE)
    for place, value in changes:
        data[place] = value
    load_or_refuse(bytes(data))


@FUZZ
@given(
    st.integers(0, len(INTRICATE["nodes"]) - 1),
    st.sampled_from(["op", "name", "inputs", "attrs", "attr", "param", "subgraphs"]),
    ODD,
)
def test_fields_of_other_types(index, field, value):
    document = json.loads(WHOLE)
    document["nodes"][index][field] = value
    load_or_refuse(json.dumps(document).encode())


@FUZZ
@given(st.data())
def test_settings_of_other_values(data):
    document = json.loads(WHOLE)
    nodes = [one for one in document["nodes"] if one["attrs"]]
    changed = data.draw(st.sampled_from(nodes))
    changed["attrs"][data.draw(st.sampled_from(sorted(changed["attrs"])))] = data.draw(WORDS)
    load_or_refuse(json.dumps(document).encode())


@FUZZ
@given(st.data())
def test_wires_crossed(data):
    document = json.loads(WHOLE)
    count = len(document["nodes"])
    wired = [one for one in document["nodes"] if one["inputs"]]
    for _ in range(data.draw(st.integers(1, 3))):
        inputs = data.draw(st.sampled_from(wired))["inputs"]
        place = data.draw(st.integers(0, len(inputs) - 1))
        inputs[place] = [data.draw(st.integers(-1, count)), data.draw(st.integers(0, 2)), 0]
    load_or_refuse(json.dumps(document).encode())


@FUZZ
@given(st.data())
def test_operators_exchanged(data):
    from modeldocs.loaders.mxnet.operation import EMITTERS

    document = json.loads(WHOLE)
    changed = data.draw(st.sampled_from([one for one in document["nodes"] if one["inputs"]]))
    changed["op"] = data.draw(st.sampled_from(sorted(EMITTERS)))
    load_or_refuse(json.dumps(document).encode())
