"""`model.yml`: everything it may say, and every mistake told by file, line and field."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modeldocs import catalog
from modeldocs.catalog import manifest_file
from modeldocs.catalog.document import MAX_BYTES, dotted
from modeldocs.catalog.manifest import InputEntry, LimitsEntry, Manifest, Paper, PortEntry
from modeldocs.errors import ModeldocsError
from tests.refusals import load_or_refuse


@pytest.fixture
def write(tmp_path):
    def written(text: str | bytes) -> Path:
        path = tmp_path / "model.yml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path

    return written


@pytest.fixture
def mistake(write):
    def told(text: str | bytes) -> ModeldocsError:
        try:
            error = manifest_file.read(write(text))[1][0].error
        except ModeldocsError as raised:
            error = raised
        assert error.file == "model.yml"
        assert "\n" not in error.reason
        return error

    return told


def test_every_field(write):
    read, _ = manifest_file.read(
        write(
            """\
title: LeNet
summary: Digits.
task: image classification
tags: [digits, small]
paper: {title: Gradient-based learning, url: "https://example.org/p.pdf", year: 1998}
licence: BSD-2-Clause
inputs: {data: [1, 1, 28, 28]}
reference: caffe
pairs: [[caffe, pytorch]]
generate: [keras]
notes: The Caffe variant.
ports:
  caffe:
    framework: caffe
    file: lenet.prototxt
    args: {phase: TEST}
    notes: From the example.
  pytorch:
    module: nets.lenet
    entry: LeNet
    args: {classes: 10, deep: {a: [1, 2.5, null, true]}}
    inputs: {x: {shape: [1, 1, 28, 28], dtype: float16}}
    limits: {seconds: 5, memory_mb: 1024}
"""
        )
    )
    assert read == Manifest(
        title="LeNet",
        summary="Digits.",
        task="image classification",
        tags=["digits", "small"],
        paper=Paper(title="Gradient-based learning", url="https://example.org/p.pdf", year=1998),
        licence="BSD-2-Clause",
        inputs={"data": [1, 1, 28, 28]},
        reference="caffe",
        pairs=[("caffe", "pytorch")],
        generate=["keras"],
        notes="The Caffe variant.",
        ports={
            "caffe": PortEntry(
                framework="caffe",
                file="lenet.prototxt",
                args={"phase": "TEST"},
                notes="From the example.",
            ),
            "pytorch": PortEntry(
                module="nets.lenet",
                entry="LeNet",
                args={"classes": 10, "deep": {"a": [1, 2.5, None, True]}},
                inputs={"x": InputEntry(shape=[1, 1, 28, 28], dtype="float16")},
                limits=LimitsEntry(seconds=5, memory_mb=1024),
            ),
        },
    )


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing yet\n", "---\n", "null\n", "\ufeff", "{}"])
def test_a_file_that_says_nothing_is_a_manifest(write, text):
    assert manifest_file.read(write(text)) == (Manifest(), [])


def test_a_date_is_its_text(write):
    assert manifest_file.read(write("title: 2016-01-01\n"))[0].title == "2016-01-01"


def test_an_anchor_is_read_where_it_is_used(write):
    read, _ = manifest_file.read(write("inputs: &in {x: [1, 8]}\nports: {caffe: {inputs: *in}}\n"))
    assert read.ports["caffe"].inputs == read.inputs == {"x": [1, 8]}


@pytest.mark.parametrize(
    ("text", "line", "field", "fix"),
    [
        ("title: a\ntilte: b\n", 2, "tilte", "did you mean `title`?"),
        ("licens: MIT\n", 1, "licens", "did you mean `licence`?"),
        ("paper:\n  title: t\n  yaer: 1998\n", 3, "paper.yaer", "did you mean `year`?"),
        ("ports:\n  caffe:\n    fil: x\n", 3, "ports.caffe.fil", "did you mean `file`?"),
        (
            "ports:\n  a:\n    limits:\n      second: 1\n",
            4,
            "ports.a.limits.second",
            "did you mean `seconds`?",
        ),
        ("inputs:\n  x:\n    shpae: [1]\n", 3, "inputs.x.shpae", "did you mean `shape`?"),
        (
            "ports:\n  a:\n    inputs:\n      x: {shape: [1], dtyp: int8}\n",
            4,
            "ports.a.inputs.x.dtyp",
            "did you mean `dtype`?",
        ),
        ("paper: {title: t, qqqq: 1}\n", 1, "paper.qqqq", "use one of: title, url, year"),
    ],
)
def test_an_unknown_field_names_its_line_and_the_nearest_valid_name(
    mistake, text, line, field, fix
):
    told = mistake(text)
    assert (told.reason, told.line, told.fix) == (f"unknown field `{field}`", line, fix)


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("title: [a]\n", 1, "title"),
        ("title: 2016\n", 1, "title"),
        ("a: 1\n", 1, "a"),
        ("summary:\n", 1, "summary"),
        ("task: t\ntags: one\n", 2, "tags"),
        ("tags:\n  - a\n  - 7\n", 3, "tags[1]"),
        ("paper: a\n", 1, "paper"),
        ("paper:\n  url: u\n", 1, "paper"),
        ("paper:\n  title: t\n  year: late\n", 3, "paper.year"),
        ("inputs: [1, 3]\n", 1, "inputs"),
        ("inputs:\n  x: big\n", 2, "inputs.x"),
        ("inputs:\n  x: [1, wide]\n", 2, "inputs.x[1]"),
        ("inputs:\n  x: [-1, 3]\n", 2, "inputs.x[0]"),
        ("inputs:\n  x: [1, 0]\n", 2, "inputs.x[1]"),
        ("inputs:\n  x: {dtype: int64}\n", 2, "inputs.x"),
        ("generate: keras\n", 1, "generate"),
        ("generate:\n  - pytorch\n  - fortran\n", 3, "generate[1]"),
        ("ports: [caffe]\n", 1, "ports"),
        ("ports:\n  caffe: prototxt\n", 2, "ports.caffe"),
        ("ports:\n  caffe:\n    args: [1]\n", 3, "ports.caffe.args"),
        ("ports:\n  a.b:\n    notes: 1\n", 3, "ports.a.b.notes"),
        ("ports:\n  a:\n    inputs:\n      x: [1, 2.5]\n", 4, "ports.a.inputs.x[1]"),
        ("ports:\n  a:\n    limits:\n      seconds: -1\n", 4, "ports.a.limits.seconds"),
        ("ports:\n  a:\n    limits:\n      memory_mb: 1.5\n", 4, "ports.a.limits.memory_mb"),
    ],
)
def test_a_value_of_the_wrong_kind_names_its_field_and_line(mistake, text, line, field):
    told = mistake(text)
    assert f"`{field}`" in told.reason
    assert told.line == line
    assert told.fix


def test_a_misspelt_element_type_names_the_nearest(mistake):
    told = mistake("inputs:\n  x:\n    shape: [1]\n    dtype: flaot32\n")
    assert (told.line, told.fix) == (4, "did you mean `float32`?")


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("pairs: nearst\n", 1, "pairs"),
        ("title: a\npairs: 3\n", 2, "pairs"),
        ("pairs: [caffe, keras]\n", 1, "pairs[0]"),
        ("pairs:\n  - [caffe]\n", 2, "pairs[0]"),
        ("pairs:\n  - [caffe, keras]\n  - [caffe, 1]\n", 3, "pairs[1][1]"),
    ],
)
def test_a_wrong_policy_of_pairs_names_those_that_there_are(mistake, text, line, field):
    told = mistake(text)
    assert f"`{field}`" in told.reason
    assert told.line == line
    assert "all, reference, nearest, or a list of pairs of ports: [[caffe, keras]]" in told.fix


def test_a_field_left_empty_is_told_so(mistake):
    assert mistake("notes:\n").fix == "give it a value, or leave the field out"


@pytest.mark.parametrize(
    ("text", "line", "field", "first"),
    [
        ("title: a\ntask: t\ntitle: b\n", 3, "title", 1),
        ("ports:\n  caffe: {}\n  caffe: {}\n", 3, "ports.caffe", 2),
        ("ports:\n  caffe:\n    args:\n      n: 1\n      n: 2\n", 5, "ports.caffe.args.n", 4),
    ],
)
def test_a_field_given_twice_names_both_lines(mistake, text, line, field, first):
    told = mistake(text)
    assert told.reason == f"`{field}` is given twice, first on line {first}"
    assert told.line == line


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("title: a\ntags: [a, b\ntask: t\n", 3, 5),
        ("title: a: b\n", 1, 9),
        ("title: 'a\n", 2, 1),
        ("a:\n\t- b\n", 2, 1),
        ("title: *nobody\n", 1, 8),
        ("title: a\n---\ntitle: b\n", 2, 1),
    ],
)
def test_broken_yaml_names_line_and_column(mistake, text, line, column):
    told = mistake(text)
    assert told.reason.startswith("is not valid YAML: ")
    assert (told.line, told.column) == (line, column)


@pytest.mark.parametrize("text", ["- a\n", "just text\n", "42\n", "2016-01-01\n"])
def test_anything_but_a_mapping_is_refused(mistake, text):
    assert mistake(text).reason == "is not a mapping of fields"


@pytest.mark.parametrize("tag", ["!!python/object:os.system", "!!python/name:os.system ", "!thing"])
def test_a_tag_makes_no_object(mistake, tag):
    assert mistake(f"title: {tag} 'x'\n").line == 1


@pytest.mark.parametrize("tag", ["!!python/object:dict", "!!python/object/apply:os.system", "!x"])
def test_a_tag_on_a_mapping_or_list_makes_no_object(mistake, tag):
    assert mistake(f"title: a\npaper: {tag} {{title: t}}\n").line == 2
    assert mistake(f"title: a\ntags: {tag} [echo]\n").line == 2


@pytest.mark.parametrize(
    "value", ["9" * 30, "-" + "9" * 5000, ".nan", "-.inf", "!!int abc", "!!timestamp x", "!!bool 7"]
)
def test_a_number_that_json_cannot_hold_is_refused(mistake, value):
    assert mistake(f"ports:\n  a:\n    args:\n      n: {value}\n").line == 4


@pytest.mark.parametrize("text", [r'title: "\ud800"', r'ports: {"\udfff": {}}'])
def test_half_a_surrogate_pair_is_refused(mistake, text):
    """No JSON and no page can hold it."""
    assert mistake(text).reason == "holds half of a surrogate pair"


def test_a_merge_key_is_told(mistake):
    assert mistake("x: &x {a: 1}\nports: {a: {<<: *x}}\n").fix == "write the fields out"


def test_a_bomb_of_aliases_ends_in_a_sentence(mistake):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 16)]
    assert "values" in mistake("\n".join(lines)).reason


@pytest.mark.parametrize(
    "text",
    [
        "tags: &a [*a]\n",
        "ports: &p {a: *p}\n",
        "tags: " + "[" * 50 + "]" * 50,
        "tags: " + "[" * 5_000,
        "tags: " + "{a: " * 5_000,
        "".join(" " * n + "a:\n" for n in range(300)),
    ],
)
def test_deep_nesting_ends_in_a_sentence(mistake, text):
    assert mistake(text).reason


def test_what_is_no_text_is_told(mistake):
    assert mistake(b"\x89PNG\r\n\x1a\n\x00\x00").reason == "is not UTF-8 text"
    told = mistake("title: a\ntask: \x07bell\n")
    assert (told.line, "U+0007" in told.reason) == (2, True)


def test_an_enormous_file_is_told(mistake):
    assert "larger than" in mistake("#" * (MAX_BYTES + 1)).reason


def test_a_folder_of_that_name_is_told(tmp_path):
    (tmp_path / "model.yml").mkdir()
    with pytest.raises(ModeldocsError, match="cannot be read") as caught:
        manifest_file.read(tmp_path / "model.yml")
    assert str(tmp_path) not in str(caught.value)


_NAMES = st.sampled_from(["title", "paper", "ports", "inputs", "tags", "limits", "args", "caffe"])
_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.dates() | st.text(max_size=5)
)
_DATA = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(_NAMES | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
_FRAGMENTS = st.lists(
    st.sampled_from(list("\n :,-[]{}&*!|>'\"#?%@`ab1.~<=\t")) | _NAMES | st.text(max_size=2),
    max_size=30,
).map("".join)


def _read_or_told(path: Path) -> None:
    result = load_or_refuse(lambda: manifest_file.read(path), "model.yml")
    if not isinstance(result, ModeldocsError):
        manifest, mistakes = result
        assert isinstance(manifest, Manifest)
        assert len({mistake.place for mistake in mistakes}) == len(mistakes)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=_DATA)
def test_any_yaml_is_a_manifest_or_a_mistake_that_is_told(write, data):
    _read_or_told(write(yaml.safe_dump(data, allow_unicode=True)))


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=_FRAGMENTS | st.binary(max_size=40))
def test_any_text_is_a_manifest_or_a_mistake_that_is_told(write, text):
    _read_or_told(write(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text))


def test_a_mistake_costs_its_own_field_alone(write):
    read, mistakes = manifest_file.read(
        write(
            "title: LeNet\nyear: 1998\npaper: {url: x}\ntags: [a, 3]\n"
            "ports:\n  caffe: {input: {x: [1, 3]}, notes: kept}\n  far: {module: a.b, args: 3}\n"
        )
    )
    assert [dotted(mistake.place) for mistake in mistakes] == [
        "ports.caffe.input",
        "year",
        "paper",
        "ports.far.args",
        "tags[1]",
    ]
    assert [mistake.port for mistake in mistakes] == ["caffe", None, None, "far", None]
    assert read == Manifest(
        title="LeNet", ports={"caffe": PortEntry(notes="kept"), "far": PortEntry(module="a.b")}
    )


def test_ports_beside_a_mistake_are_there_and_tell_it(write):
    path = write(
        "ports:\n  net: {module: 'torchvision.models', entry: resnet18, argz: {}}\n"
        "  lost: {modul: 'a.b'}\nyear: 1998\n"
    )
    model = catalog.read_model(path.parent)
    assert model is not None
    net, lost = model.port("net"), model.port("lost")
    assert net is not None and net.framework == "pytorch" and net.failure is None
    assert [doubt.line for doubt in net.doubts] == [2, 4]
    assert lost is not None and lost.failure is not None
    assert lost.failure.reason == "unknown field `ports.lost.modul`"
    assert len(model.failures) == 3
