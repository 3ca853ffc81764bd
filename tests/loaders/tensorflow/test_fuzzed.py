"""Saved graphs cut off and changed at random: a model, or one sentence; never the process."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.refusals import load_or_refuse

from ..ports import operators

SEEDS = {
    "net.pb": ("plain_graph", "net.pb"),
    "net.pbtxt": ("plain_graph", "net.pbtxt"),
    "net.meta": ("training_meta", "net.meta"),
    "saved_model.pb": ("saved_module", "net/saved_model.pb"),
    "branches.pb": ("classic_branches", "net.pb"),
}
FUZZ = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
PLACE = st.floats(0, 1, exclude_max=True)


@pytest.fixture(params=SEEDS)
def seed(request, tensorflow):
    folder, file = SEEDS[request.param]
    return request.param, (tensorflow.saved(folder) / file).read_bytes()


def load_or_hear(tensorflow, folder, name, data):
    path = folder / name
    path.write_bytes(data)
    load_or_refuse(lambda: tensorflow.model(path), name)


@FUZZ
@given(PLACE)
def test_cut_off_anywhere(tensorflow, seed, tmp_path, place):
    name, whole = seed
    load_or_hear(tensorflow, tmp_path, name, whole[: int(place * len(whole))])


@FUZZ
@given(st.lists(st.tuples(PLACE, st.integers(0, 255)), min_size=1, max_size=4))
def test_bytes_changed(tensorflow, seed, tmp_path, changes):
    name, whole = seed
    data = bytearray(whole)
    for place, value in changes:
        data[int(place * len(data))] = value
    load_or_hear(tensorflow, tmp_path, name, bytes(data))


@FUZZ
@given(PLACE, PLACE, st.integers(1, 40))
def test_a_piece_moved(tensorflow, seed, tmp_path, start, to, length):
    name, whole = seed
    begin, end = int(start * len(whole)), int(to * len(whole))
    piece = whole[begin : begin + length]
    load_or_hear(tensorflow, tmp_path, name, whole[:end] + piece + whole[end + length :])


ABSURD = (
    "-1", "0", "1", "7", "2147483648", "-9223372036854775808", "9223372036854775807", "1e39", "nan",
    "true", '""', '"x"', "DT_STRING", "DT_RESOURCE", "DT_HALF", "DT_INT64",
)  # fmt: skip
TOKEN = re.compile(r'"[^"]*"|-?[0-9][\w.+-]*|DT_\w+|true|false')


def test_the_one_of_many_operators_is_whole(tensorflow):
    graph = tensorflow.graph(tensorflow.saved("many_operators") / "net.pbtxt")
    assert {"If", "Loop", "LRN", "Resize", "TopK", "DepthToSpace"} <= set(operators(graph))
    assert not any("drawn as it is" in note for note in graph.notes), graph.notes


@settings(FUZZ, max_examples=60)
@given(
    st.lists(st.tuples(PLACE, st.one_of(st.sampled_from(ABSURD), PLACE)), min_size=1, max_size=3)
)
def test_other_values(tensorflow, tmp_path, changes):
    text = (tensorflow.saved("many_operators") / "net.pbtxt").read_text()
    tokens = list(TOKEN.finditer(text))
    chosen = {int(place * len(tokens)): value for place, value in changes}
    for index in sorted(chosen, reverse=True):
        value, token = chosen[index], tokens[index]
        other = tokens[int(value * len(tokens))][0] if isinstance(value, float) else value
        text = text[: token.start()] + other + text[token.end() :]
    load_or_hear(tensorflow, tmp_path, "net.pbtxt", text.encode())


@FUZZ
@given(st.binary(max_size=200))
def test_any_bytes(tensorflow, tmp_path, data):
    load_or_hear(tensorflow, tmp_path, "net.pb", data)
