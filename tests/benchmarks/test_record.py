import functools
import json
from pathlib import Path

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks import labels, measurements, metadata, record, recording
from modeldocs.errors import ModeldocsError

from .examples import example

CATALOG = Path(__file__).parents[2] / "models"
RECORDED = sorted(CATALOG.glob("*/benchmarks/*.json"))


@pytest.fixture(scope="module")
def validator():
    """Of the schema, which a test of its own checks: `jsonschema.validate` checks it every time."""
    return jsonschema.Draft202012Validator(record.schema())


@functools.cache
def recorded(file):
    return record.read(file)


def test_a_record_reads_back_as_it_was_written():
    data = record.encode(example())
    assert record.decode(data) == example()
    assert record.encode(record.decode(data)) == data


def test_the_file_is_plain_json_with_samples_on_one_line_and_a_newline_at_the_end():
    text = record.encode(example()).decode()
    assert text.endswith("}\n")
    assert "   [1.0, 2.0]\n" in text
    assert json.loads(text) == json.loads(msgspec.json.encode(example()))


def test_what_is_unknown_is_written_as_null_and_not_left_out():
    written = json.loads(record.encode(example()))
    assert written["gpu"] is None
    assert written["step_ms"]["p99"] is None
    assert written["run"]["commit"] is None


def test_whole_numbers_are_written_as_they_are_read_back():
    data = record.encode(example(throughput=measurements.Throughput(samples=4, wall_us=3)))
    assert record.encode(record.decode(data)) == data


@given(
    batch=st.integers(1, 10**6),
    name=st.text(min_size=1).filter(lambda text: text.isprintable()),
    times=st.lists(st.floats(0, 1e6), min_size=1, max_size=20),
)
def test_any_name_and_times_survive_the_file(batch, name, times):
    step = measurements.StepTimes(
        samples=(tuple(times),), n=len(times), mean=0, std=0, p50=0, p90=0
    )
    made = example(
        run=metadata.RunOptions(date="2026", batch=batch),
        device=metadata.Device(name=name),
        step_ms=step,
    )
    data = record.encode(made)
    assert record.decode(data) == made
    assert msgspec.json.decode(data) == json.loads(data)


def test_the_schema_is_2020_12_and_accepts_what_is_written():
    schema = record.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(record.encode(example())), schema)


@pytest.mark.parametrize(
    ("section", "field", "value"),
    [
        ("run", "batch", 0),
        ("run", "date", "yesterday"),
        ("run", "task", "dreaming"),
        ("model", "params", -1),
        ("model", "speed", 3),
        ("device", "name", None),
    ],
)
def test_schema_and_reader_refuse_the_same_things(validator, section, field, value):
    written = json.loads(record.encode(example()))
    written[section][field] = value
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(written)
    with pytest.raises(ModeldocsError):
        record.decode(json.dumps(written).encode())


def test_every_field_of_every_section_is_documented():
    definitions = record.schema()["$defs"]
    bare = [
        f"{name}.{field}"
        for name, definition in definitions.items()
        for field, described in definition["properties"].items()
        if not described.get("description")
    ]
    assert bare == []


def test_the_sections_are_those_of_the_format():
    assert list(record.Record.__struct_fields__) == [
        "model", "run", "device", "host", "software", "numerics", "method", "step_ms",
        "device_ms", "mean_ms", "phases", "throughput", "memory", "energy", "flops", "peaks",
        "gpu", "blocks", "host_operators", "ddp",
        "raw", "provenance", "notes", "format",
    ]  # fmt: skip


def test_a_99th_percentile_of_few_steps_is_refused():
    few = {"samples": ((1.0,),), "mean": 1, "std": 0, "p50": 1, "p90": 1, "p99": 1.0}
    with pytest.raises(ValueError, match="at least 662"):
        measurements.StepTimes(n=661, **few)
    assert measurements.StepTimes(n=662, **few).p99 == 1.0


def test_a_field_of_the_wrong_type_is_told_with_file_and_path(tmp_path):
    written = json.loads(record.encode(example()))
    written["run"]["batch"] = "two"
    file = tmp_path / "r.json"
    file.write_text(json.dumps(written))
    with pytest.raises(ModeldocsError) as caught:
        record.read(file)
    assert caught.value.file == str(file)
    assert "`$.run.batch`" in caught.value.reason
    assert "Expected `int | null`, got `str`" in caught.value.reason


def test_broken_json_is_told_with_its_line(tmp_path):
    file = tmp_path / "r.json"
    file.write_text('{\n "model": {\n  "id": oops\n}}')
    with pytest.raises(ModeldocsError) as caught:
        record.read(file)
    assert (caught.value.line, caught.value.column) == (3, 9)
    assert caught.value.reason.startswith("not JSON")


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"[" * 100_000, b'"\\ud800"', b"NaN"])
def test_anything_else_is_an_error_of_ours(data):
    with pytest.raises(ModeldocsError):
        record.decode(data, file="r.json")


def test_a_later_format_is_refused():
    written = json.loads(record.encode(example()))
    written["format"] = 2
    with pytest.raises(ModeldocsError, match="record format 2"):
        record.decode(json.dumps(written).encode())


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(ModeldocsError, match="cannot be read"):
        record.read(tmp_path / "none.json")


def test_a_label_tells_device_port_batch_precision_and_date():
    training = metadata.RunOptions(date="2026-11-20", task="training", batch=4)
    told = "AMD EPYC(R) 9,000 · pytorch · batch 4 · float32 · training · 2026-11-20"
    assert labels.label(example(run=training)) == told


def test_the_name_tells_date_device_port_task_batch_and_precision():
    assert labels.file_name(example()) == (
        "20261120-amd-epyc-9-000-pytorch-inference-b2-float32.json"
    )
    tagged = metadata.RunOptions(date="2016", tag="No Boost")
    assert labels.file_name(example(run=tagged)) == (
        "20160000-amd-epyc-9-000-pytorch-unknown-bunknown-float32-no-boost.json"
    )


@given(st.text())
def test_a_name_never_leaves_its_folder(text):
    assert set(labels.slug(text)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert labels.slug(text)


def test_records_are_written_beside_the_model_and_read_in_order(tmp_path):
    later = example(run=metadata.RunOptions(date="2026-12-01"))
    written = [record.write(made, tmp_path) for made in (later, example())]
    assert written[0].parent == tmp_path / "benchmarks"
    assert [record.read(file) for file in record.files(tmp_path)] == [example(), later]


def test_a_model_without_records_has_none(tmp_path):
    assert [record.read(file) for file in record.files(tmp_path)] == []


def test_raw_files_named_by_their_hash_are_no_records(tmp_path):
    record.write(example(), tmp_path)
    (tmp_path / "benchmarks" / f"{'0a' * 20}.json").write_text("{}")
    assert [record.read(file) for file in record.files(tmp_path)] == [example()]


def test_a_file_whose_name_tells_another_run_is_refused(tmp_path):
    file = record.write(example(), tmp_path)
    other = file.with_name("20261120-h100-pytorch-inference-b2-float32.json")
    file.rename(other)
    with pytest.raises(ModeldocsError, match="name") as caught:
        record.read(other)
    assert file.name in str(caught.value.fix)


def test_a_quantity_out_of_range_is_never_written(tmp_path):
    below = example(memory=measurements.MemoryPeaks(peak_rss_bytes=-1))
    with pytest.raises(msgspec.ValidationError):
        record.write(below, tmp_path)
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.name)
def test_the_catalogs_records_fit_the_schema_and_are_written_as_we_write(validator, file):
    made = recorded(file)
    validator.validate(json.loads(file.read_bytes()))
    assert record.encode(made) == file.read_bytes()
    assert made.model.id == file.parents[1].name
    assert made.device.name


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.name)
def test_the_catalogs_measured_records_carry_their_warnings(file):
    made = recorded(file)
    if made.provenance is None:
        assert list(made.notes) == recording.warnings(made)


def test_the_recorded_profiles_of_2016_are_in_the_catalog():
    imported = [recorded(file) for file in RECORDED if file.name.startswith("20160000")]
    assert sorted((r.model.id, r.model.port or "") for r in imported) == [
        ("cifar10-quick", "caffe"), ("cifar10-quick", "tensorflow"), ("mlp-4-hidden", ""),
    ]  # fmt: skip
    for made in imported:
        assert made.provenance is not None
        assert made.provenance.figures
        assert made.provenance.unknown
        assert made.provenance.rounding


def test_a_device_of_a_long_name_has_a_file_name_that_fits(tmp_path):
    names = ("A" * 400, "A" * 401)
    files = {
        record.write(example(device=metadata.Device(name=name)), tmp_path).name for name in names
    }
    assert len(files) == 2
    assert all(len(name) < 255 for name in files)
    assert all(record.read(tmp_path / "benchmarks" / name) for name in files)
