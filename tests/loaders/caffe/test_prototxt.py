"""The text format: what is read, and how errors are told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import CaffeLoader
from modeldocs.loaders.caffe.format.prototxt import Message, parse
from modeldocs.loaders.caffe.format.tokens import Word
from tests.refusals import load_or_refuse

from .nets import REPOSITORY

LENET = (REPOSITORY / "models/lenet/caffe.prototxt").read_text()


def values(text):
    return [(field.name, field.value) for field in parse(text, "f").fields]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1", 1),
        ("a:-2", -2),
        ("a: 0x1F", 31),
        ("a: 010", 8),
        ("a: .5", 0.5),
        ("a: 1e-4", 1e-4),
        ("a: 2.5f", 2.5),
        ("a: -inf", float("-inf")),
        ("a: MAX", Word("MAX")),
        ("a: 'it''s'", "its"),
        ('a: "one "\n  "two"', "one two"),
        (r'a: "tab\t\"\x41\101\303\251"', 'tab\t"AAé'),
        ("a: 1;", 1),
        ("# only\na : 1 # a comment", 1),
    ],
)
def test_scalars(text, expected):
    ((name, value),) = values(text)
    assert (name, value) == ("a", expected)
    assert type(value) is type(expected)


def test_messages_lists_and_places():
    message = parse("a { b: 1 }\n  c < d: [1, 2,3] >\ne: [{f: 1}, {}]", "f")
    assert [field.name for field in message.fields] == ["a", "c", "e", "e"]
    assert message.fields[1].place == (2, 3)
    inner = message.fields[1].value
    assert isinstance(inner, Message)
    assert [(field.name, field.value) for field in inner.fields] == [("d", 1), ("d", 2), ("d", 3)]


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("a: 1\nb {\n c: 2\n", 4, 1, "the file ends inside what line 2, column 3 opened"),
        ("a { b: 1 }\n }", 2, 2, "'}' closes nothing"),
        ("a <\n}", 2, 1, "'}' does not close what line 1 opened, that takes '>'"),
        ("a {\n  b 1 }", 2, 3, "the field 'b' has no value"),
        ("a:\n  }", 2, 3, "'a' wants a value, not '}'"),
        ("a:", 1, 3, "'a' wants a value, not the end of the file"),
        ('a: "open\nb: 1', 1, 4, "a quoted text does not end"),
        ("a: 3x3", 1, 4, "'3x3' is not a number"),
        ("a: 1_000", 1, 4, "'1_000' is not a number"),
        ("a: 1\n= 2", 2, 1, "a field name must stand here, not '='"),
        ("5: 1", 1, 1, "a field name must stand here, not '5'"),
        ("a: 1e999", 1, 4, "the number 1e999 is too large"),
        ("a: 99999999999999999999", 1, 4, "the number 99999999999999999999 is too large"),
    ],
)
def test_errors_tell_place_reason_and_fix(text, line, column, reason):
    with pytest.raises(ModeldocsError) as caught:
        parse(text, "net.prototxt")
    error = caught.value
    assert (error.line, error.column, error.reason) == (line, column, reason)
    assert error.file == "net.prototxt"
    assert error.fix


@pytest.mark.parametrize(
    "text",
    [
        "a { " * 100_000,
        "a: [ " * 100_000,
        "a: " + "9" * 1_000_000,
        "a: 1e" + "9" * 1_000_000,
        'a: "' + "\\" * 1_000_001,
        "}" * 100_000,
        "\0" * 1000,
    ],
)
def test_hostile_texts_are_refused(text):
    with pytest.raises(ModeldocsError) as caught:
        parse(text, "f")
    assert len(str(caught.value)) < 500


def loads_or_tells(tmp_path, text):
    path = tmp_path / "net.prototxt"
    path.write_text(text, encoding="utf-8", errors="replace")
    request = LoadRequest(root=str(tmp_path), path=path.name)
    result = load_or_refuse(lambda: CaffeLoader().load(request))
    assert not isinstance(result, ModeldocsError) or result.fix


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("nets")


@settings(deadline=None, max_examples=60)
@given(cut=st.integers(0, len(LENET)))
def test_a_definition_cut_short_is_told_or_loads(folder, cut):
    loads_or_tells(folder, LENET[:cut])


WORDS = sorted({*LENET.split(), "-1", "0", "1e30", "4294967295", "2147483647", "{", "}", "nan"})


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_a_definition_with_words_changed_is_told_or_loads(folder, data):
    lines = [line for line in LENET.splitlines() if not line.startswith("#")]
    tokens = " ".join(lines).split()
    for _ in range(data.draw(st.integers(1, 3))):
        tokens[data.draw(st.integers(0, len(tokens) - 1))] = data.draw(st.sampled_from(WORDS))
    loads_or_tells(folder, " ".join(tokens))


@settings(deadline=None)
@given(text=st.text())
def test_any_text_is_told_or_loads(folder, text):
    loads_or_tells(folder, text)
