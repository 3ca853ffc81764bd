"""Edits as text: options, addresses, JSON."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs import edits
from modeldocs.edits import InsertLayer, RemoveLayer, RepeatBlock, ResizeInput, SetAttribute
from modeldocs.errors import ModeldocsError

names = st.from_regex(r"[a-z][a-z0-9_./-]{0,20}", fullmatch=True)
words = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
values = st.from_regex(r"[0-9a-zA-Z.,-]{1,12}", fullmatch=True)
settings = st.dictionaries(words.filter(lambda one: one != "name"), values, max_size=3)
every_edit = st.one_of(
    st.builds(SetAttribute, layer=names, attribute=words, value=values),
    st.builds(RemoveLayer, layer=names),
    st.builds(
        InsertLayer,
        after=names,
        operator=st.sampled_from(["Relu", "Conv"]),
        settings=settings,
        name=st.one_of(st.just(""), words),
    ),
    st.builds(RepeatBlock, block=names, count=st.integers(1, 99)),
    st.builds(
        ResizeInput,
        name=st.one_of(st.just(""), words),
        shape=st.lists(st.integers(1, 999), min_size=1, max_size=5).map(tuple),
    ),
)


@given(every_edit)
def test_an_edit_is_what_its_text_says(edit: edits.Edit) -> None:
    assert edits.parse(*edits.written(edit)) == edit


@given(st.lists(every_edit, max_size=4))
def test_edits_are_what_an_address_and_json_say(made: list[edits.Edit]) -> None:
    assert edits.of_query(edits.query(made)) == made
    assert edits.decode(edits.encode(made)) == made


def test_a_name_may_have_dots_slashes_and_equals_signs() -> None:
    made = edits.parse("set", "layer1.0.conv1.strides=2,2")
    assert made == SetAttribute(layer="layer1.0.conv1", attribute="strides", value="2,2")
    inserted = edits.parse("insert", "after=conv2_1/3x3:Conv:channels=8:kernel_shape=3,3")
    assert inserted == InsertLayer(
        after="conv2_1/3x3", operator="Conv", settings={"channels": "8", "kernel_shape": "3,3"}
    )


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("set", "conv1"),
        ("set", "conv1=2"),
        ("remove", ""),
        ("insert", "conv1:Relu"),
        ("insert", "after=conv1"),
        ("repeat", "layer3"),
        ("repeat", "layer3=-1"),
        ("input", "data"),
        ("input", "data=1,0"),
    ],
)
def test_what_is_no_edit_is_told_with_an_example(option: str, text: str) -> None:
    with pytest.raises(ModeldocsError) as caught:
        edits.parse(option, text)
    assert caught.value.fix is not None and f"write --{option} " in caught.value.fix


def test_json_that_is_no_list_of_edits_is_told() -> None:
    with pytest.raises(ModeldocsError, match="no list of edits"):
        edits.decode(b'[{"edit": "paint"}]')
