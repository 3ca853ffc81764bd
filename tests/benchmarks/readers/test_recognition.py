"""Which format a file is taken for."""

import json
from pathlib import Path

import pytest

from modeldocs.benchmarks import readers

from . import (
    test_asv,
    test_nsys_stats,
    test_nvprof,
    test_onnxruntime_profile,
    test_pytest_benchmark,
    test_tensorflow_timeline,
    test_trtexec,
    test_xplane,
    traces,
)
from .files import refusal

FILES = {
    "PyTorch profiler trace": (traces.NEWER, traces.OLDEST),
    "TensorFlow timeline": (test_tensorflow_timeline.TIMELINE,),
    "onnxruntime profile": (test_onnxruntime_profile.PROFILE,),
    "JSON of trtexec": (test_trtexec.TIMES, test_trtexec.PROFILE),
    "JSON of pytest-benchmark": (test_pytest_benchmark.file(),),
    "results of asv": (test_asv.file(),),
    "profile of TensorFlow or JAX": (test_xplane.data(test_xplane.profile()),),
    "CSV of nvprof": (test_nvprof.TRACE, test_nvprof.SUMMARY),
    "CSV of nsys stats": (test_nsys_stats.TRACE, test_nsys_stats.SUMS),
}


def text(held):
    return held if isinstance(held, str) else json.dumps(held, indent=1)


@pytest.mark.parametrize("name", FILES)
def test_a_file_fits_its_format_and_no_other(name, tmp_path):
    for held in FILES[name]:
        path = tmp_path / "file"
        path.write_bytes(held if isinstance(held, bytes) else text(held).encode())
        content = readers.Content(path)
        assert [one.name for one in readers.FORMATS if one.fit(content).fits] == [name]


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"\0" * 100, b"hello, world\n", b"\x1f\x8b", b"[1, 2]", b"\xff\xfe"]
)
def test_other_files_fit_none(tmp_path, data):
    assert "fits no format" in refusal(tmp_path, data) or data == b"\x1f\x8b"


def test_the_guide_lists_every_format():
    guide = Path(__file__).parents[3] / "site_src/guide/benchmark-formats.md"
    listed = {line.split("|")[1].strip() for line in guide.read_text().splitlines() if "|" in line}
    assert {one.name for one in readers.FORMATS} <= listed
