"""`modeldocs diff`: two sources compared, and the exit code that differences do not change."""

from __future__ import annotations

import json

import jsonschema
import pytest

from modeldocs import diff


@pytest.fixture
def other(folder):
    text = (folder / "models" / "net" / "caffe.prototxt").read_text()
    (folder / "other.prototxt").write_text(text.replace("kernel_size: 3", "kernel_size: 5"))
    return "other.prototxt"


def test_two_files_by_path(run, other):
    result = run("diff", "models/net/caffe.prototxt", other)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "kernel" in result.stdout


def test_a_file_and_itself(folder, run):
    result = run("diff", "net/caffe", "models/net/caffe.prototxt")
    assert "2 layers correspond and are the same." in result.stdout


def test_json_is_all_that_is_printed(run, other):
    made = json.loads(run("diff", "net/caffe", other, "--json").stdout)
    jsonschema.validate(made, diff.schema())


def test_a_source_that_cannot_be_loaded(refused, other):
    assert "broken.prototxt:1:25" in refused("diff", other, "net/broken", "--json")


def test_one_source_alone(refused, other):
    assert "Missing argument 'B'" in refused("diff", other)
