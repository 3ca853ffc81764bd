"""`modeldocs preview`: its files, its output and its exit codes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pytest
from click.testing import Result

from modeldocs import mark
from modeldocs.mark import MarkedWriter
from modeldocs.site.preview import document
from modeldocs.site.preview.violations import POLICIES, violations
from tests.repositories import History, caffe

pytestmark = pytest.mark.usefixtures("tasks_here")

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> History:
    """A repository whose branch `change` breaks one port, alters another and adds a third."""
    made = History(tmp_path_factory.mktemp("previews") / "repository")
    made.commit(
        {
            "models/a/caffe.prototxt": caffe(),
            "models/a/second.prototxt": caffe(),
            "models/b/caffe.prototxt": caffe(),
            ".gitignore": ".modeldocs/\npreview/\n",
        }
    )
    made.branch("change")
    made.commit(
        {
            "models/a/caffe.prototxt": caffe(kernel_size=5),
            "models/b/caffe.prototxt": "layer { name: ",
            "models/c/caffe.prototxt": caffe(),
        }
    )
    return made


@pytest.fixture
def history(repository: History, monkeypatch: pytest.MonkeyPatch) -> History:
    """The repository as the current folder; it has no preview, and shares a store."""
    shutil.rmtree(repository.folder / "preview", ignore_errors=True)
    monkeypatch.chdir(repository.folder)
    return repository


def test_it_tells_what_changed_and_writes_its_files(history: History, run: Run) -> None:
    result = run("preview", "--base", "main", "--jobs", "1", "--no-verify")
    assert result.exit_code == 0
    assert result.output.startswith("1 broken (b/caffe) · 1 changes the result (a/caffe)")
    assert "1 port untouched" in result.output
    assert "open preview/site/changes/index.html" in result.output
    out = history.folder / "preview"
    found = document.decode((out / "diff.json").read_bytes())
    assert [port.name for port in found.ports] == ["a/caffe", "b/caffe", "c/caffe"]
    assert (out / "comment.md").read_text().startswith("<!-- modeldocs preview -->")
    site = out / "site"
    for change in found.ports:
        assert (site / change.page / "index.html").is_file(), change.page
    assert (site / "changes" / "diff.json").read_bytes() == (out / "diff.json").read_bytes()
    assert (site / "schemas" / "preview.schema.json").is_file()
    # Pages of what the change does not reach are on the published site.
    assert not (site / "models" / "b" / "diffs").exists()


def test_json_alone_is_printed_where_that_is_asked(history: History, run: Run) -> None:
    result = run(
        "preview", "--base", "main", "--head", "change", "--json", "--no-site", "--no-verify"
    )
    assert json.loads(result.stdout)["untouched"] == 1
    assert not (history.folder / "preview" / "site").exists()


def test_nothing_changed(history: History, run: Run) -> None:
    out = history.folder / "preview"
    mark.claim(out, "preview", "")
    MarkedWriter(out).write("comment.md", b"of an earlier preview")
    result = run("preview", "--base", "change", "--no-verify")
    assert result.output.splitlines()[0] == "no port changed"
    assert not (out / "comment.md").exists()


def test_policies_decide_the_exit_code(history: History, run: Run) -> None:
    words = ["preview", "--base", "main", "--no-site", "--no-verify", "--fail-on"]
    result = run(*words, "families", "--fail-on", "parameters", "--fail-on", "removed")
    assert result.exit_code == 1
    assert "fails on families (a), parameters (a/caffe)\n" in result.output
    found = document.decode((history.folder / "preview" / "diff.json").read_bytes())
    assert violations(found, list(POLICIES)) == [
        "failed (b/caffe)",
        "families (a)",
        "different (a/caffe)",
        "parameters (a/caffe)",
        "shape (a/caffe)",
        "parity (a/caffe)",
    ]
    assert violations(found, ["unverified", "slower", "mistakes", "removed"]) == []


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--base", "nowhere"], "git has no revision 'nowhere'"),
        (["--base", "main", "--models", "missing"], "the catalog's folder does not exist"),
        (["--base", "main", "--out", "models"], "written over the catalog"),
    ],
)
def test_what_cannot_be_done_is_told(
    history: History, run: Run, words: list[str], reason: str
) -> None:
    result = run("preview", *words)
    assert result.exit_code == 2
    assert reason in result.output
