"""Import of recorded runs: places in the catalog, what the source says, and doing it twice."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from modeldocs import catalog
from modeldocs.benchmarks import readers, record
from modeldocs.benchmarks.measurements import Gpu, HostOperator, IdleCauses
from modeldocs.benchmarks.metadata import RecordSource
from modeldocs.benchmarks.readers import Recording
from modeldocs.cli import main
from modeldocs.errors import ModeldocsError
from modeldocs.published import importing, source

from ..prototxts import NET

TABLE = "model,framework,mean_ms,batch\nTheirs,neon,81,128\nOther,neon,5,128\n"
SOURCE = """title: A table
citation: Someone, a project
url: https://example.org
commit: 83d441f8
licence: MIT
date: 2017-06-09
dated: day of the commit
name: table
models: {Theirs: net/caffe}
all: {device.name: A card, device.kind: cuda, run.task: forward-backward}
files: {"*.csv": {numerics.dtype: float16}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with a catalog of one port, a table, and the table's source."""
    model = tmp_path / "models" / "net"
    model.mkdir(parents=True)
    (model / "caffe.prototxt").write_text(NET)
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "source.yml").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imported(folder: Path) -> importing.ImportOutcome:
    target = catalog.read(folder / "models")
    return importing.import_file(folder / "table.csv", source.read(folder / "source.yml"), target)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["bench", "import", *arguments])
    return result.exit_code, result.output


def test_a_run_is_placed_with_its_source_and_what_the_source_says(folder: Path) -> None:
    outcome = imported(folder)
    assert outcome.left_out == 1
    (one,) = outcome.imported
    made = record.read(one.file)
    assert (made.model.id, made.model.port) == ("net", "caffe")
    assert (made.device.name, made.numerics.dtype, made.run.task) == (
        "A card", "float16", "forward-backward",
    )  # fmt: skip
    told = made.provenance
    assert told is not None
    assert (told.title, told.licence, told.commit) == ("A table", "MIT", "83d441f8")
    assert (told.file, told.format, told.model) == ("table.csv", "table of figures", "Theirs")
    assert (made.run.date, told.dated) == ("2017-06-09", "day of the commit")


def test_a_section_that_the_format_got_later_changes_no_name(folder: Path) -> None:
    target, told = catalog.read(folder / "models"), source.read(folder / "source.yml")
    (recording, _) = readers.read(folder / "table.csv")[1]
    called = (HostOperator(name="aten::mm", n=1, self_us=2),)
    first = msgspec.structs.replace(recording.record, gpu=Gpu(idle_us=5.0))
    gpu = Gpu(idle_us=5.0, idle_causes=IdleCauses(input_us=5.0))
    more = msgspec.structs.replace(first, host_operators=called, gpu=gpu)
    names = [
        importing._import(
            Recording(made), RecordSource(title="", citation=""), folder / "table.csv", told, target
        ).file
        for made in (first, more)
    ]  # fmt: skip
    assert names[0] == names[1]


def test_importing_twice_changes_nothing(folder: Path) -> None:
    (first,) = imported(folder).imported
    before = first.file.read_bytes()
    (again,) = imported(folder).imported
    assert (first.state, again.state) == ("new", "unchanged")
    assert again.file.read_bytes() == before
    assert len(list(first.file.parent.iterdir())) == 1


def test_runs_with_equal_options_are_records_each(folder: Path) -> None:
    text = "model,framework,mean_ms,batch\nTheirs,neon,81,128\nTheirs,neon,82,128\n"
    (folder / "table.csv").write_text(text)
    assert len({one.file for one in imported(folder).imported}) == 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("date: 2017-06-09\n", "", "tells no day of its runs"),
        ("net/caffe", "net/cafe", "net/caffe"),
        ("net/caffe", "none", "does not have"),
        ("numerics.dtype", "numerics.type", "which a record does not have"),
        ("float16", "half", "wrong value"),
        ("licence", "license", "does not describe a source"),
    ],
)
def test_a_mistake_in_the_source_is_told(folder: Path, old: str, new: str, reason: str) -> None:
    (folder / "source.yml").write_text(SOURCE.replace(old, new))
    with pytest.raises(ModeldocsError, match=reason):
        imported(folder)
    assert not (folder / "models/net/benchmarks").exists()


def test_what_a_file_does_not_tell_is_kept_unless_the_source_says_more(folder: Path) -> None:
    query = {"startEnqMs": 0, "h2dMs": 0, "computeMs": 1, "d2hMs": 0, "latencyMs": 1.5}
    (folder / "table.csv").write_text(json.dumps([query]))  # a format goes by content
    (folder / "source.yml").write_text(SOURCE.replace("models: {Theirs:", "models: {'':"))
    (one,) = imported(folder).imported
    assert one.record.provenance is not None
    assert one.record.provenance.unknown == (
        "The file tells neither the model nor its batch and precision."
    )
    (folder / "source.yml").write_text(
        SOURCE.replace("models: {Theirs:", "unknown: the driver\nmodels: {'':")
    )
    (one,) = imported(folder).imported
    assert one.record.provenance is not None
    assert one.record.provenance.unknown == "the driver"


class TestCommand:
    def test_it_prints_what_is_new_and_what_was_left_out(self, folder: Path) -> None:
        code, printed = run("table.csv", "--map", "source.yml")
        assert code == 0
        assert "1 new, 0 unchanged" in printed
        assert "1 runs of networks without a model here were left out" in printed

    def test_without_a_source_the_model_and_the_day_are_given(self, folder: Path) -> None:
        code, printed = run("table.csv", "--model", "net/caffe", "--date", "2024-05-01")
        assert (code, printed.count("new: models/net/benchmarks/")) == (0, 2)

    def test_it_asks_for_the_model(self, folder: Path) -> None:
        code, printed = run("table.csv")
        assert code == 2
        assert "nothing says which model was run" in printed
