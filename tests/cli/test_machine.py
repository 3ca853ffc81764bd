"""What commands say where the machine fails, and how they end: not as if definitions were wrong."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from modeldocs.tasks import build
from modeldocs.tasks.work import work
from tests import faults
from tests.prototxts import NET

pytestmark = pytest.mark.xdist_group("build command")

SAID = "the machine failed, not the definition: was killed (SIGKILL)"
TOLD = "of the machine, and not stored: the next build tries again"


@pytest.fixture(autouse=True)
def _sound(folder: Path) -> None:
    (folder / "models" / "net" / "broken.prototxt").unlink()


@contextlib.contextmanager
def killed(kind: str) -> Iterator[None]:
    """Within this block the processes of tasks of a kind are killed."""

    def met(place, task):
        with faults.killed() if task.kind == kind else contextlib.nullcontext():
            return work(place, task)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "work", met)
        yield


def content(folder: Path) -> dict[str, str]:
    """Digests of the files of a site."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.suffix in (".html", ".json", ".js", ".css", ".svg", ".onnx", ".md")
    }


def test_a_build_says_it_and_the_next_one_is_whole(folder, run):
    page = folder / "site" / "models" / "net" / "ports" / "caffe" / "index.html"
    with killed("load"):
        first = run("build", "--jobs", "1")
    assert first.exit_code == 0
    assert f"failed: net/caffe: caffe.prototxt: {SAID}" in first.stderr
    assert f"\n1 failure is {TOLD}\n" in first.stdout
    assert "the next build tries again" in page.read_text()
    second = run("build", "--jobs", "1")
    assert "0 failures; 1 loaded now" in second.stdout and TOLD not in second.stdout
    assert "the machine failed" not in page.read_text()
    assert "; 0 loaded now; " in run("build", "--jobs", "1").stdout


def test_so_does_a_build_after_one_that_ended_as_this_does(folder, run):
    """A site that is finished, with a failure of the machine on its pages, is not left alone."""
    with killed("load"):
        for _ in range(2):
            assert TOLD in run("build", "--jobs", "1").stdout
    assert "1 loaded now" in run("build", "--jobs", "1").stdout


def test_a_drawing_is_told_too(folder, run):
    with killed("draw"):
        assert SAID in run("build", "--jobs", "1").stderr
    assert "0 failures" in run("build", "--jobs", "1").stdout


def test_a_strict_build_ends_with_2_unless_a_definition_failed(folder, run):
    with killed("load"):
        assert run("build", "--strict", "--jobs", "1").exit_code == 2
        (folder / "models" / "net" / "model.yml").write_text("tilte: Net\n")
        assert run("build", "--strict", "--jobs", "1").exit_code == 1
    (folder / "models" / "net" / "model.yml").unlink()
    assert run("build", "--strict", "--jobs", "1").exit_code == 0


def test_so_does_a_strict_verification(folder, run):
    for kind in ("load", "proof"):
        with killed(kind):
            result = run("verify", "--strict")
        assert result.exit_code == 2
        assert "not verified: net/caffe" in result.stderr


def test_a_policy_on_numbers_that_could_not_be_run_ends_with_2(folder, run, monkeypatch):
    other = folder / "models" / "net" / "other.prototxt"
    other.write_text(NET.replace("ReLU", "TanH"))
    words = ("diff", "net/caffe", "net/other", "--parity", "--fail-on", "parity")
    assert run("diff", "net/caffe", "net/other").exit_code == 0
    with faults.killed():
        result = run(*words)
    assert result.exit_code == 2 and "comparing the numbers was killed" in result.stderr
    assert run(*words).exit_code == 1


@pytest.mark.parametrize("what", ["--out", "--store"])
def test_a_full_disk_is_one_sentence_and_the_next_build_is_whole(folder, run, tmp_path, what):
    assert run("build", "--jobs", "1", "--out", "fresh", "--store", "fresh-store").exit_code == 0
    place = "fresh-store" if what == "--store" else "fresh"
    whole = sum(path.stat().st_size for path in (folder / place).rglob("*") if path.is_file())
    with faults.small_disk(folder / "disk", f"{2 * whole + 2**22}") as disk:
        words = ("build", "--jobs", "1", what, str(disk / "place"))
        other = ("--out", "site") if what == "--store" else ("--store", "other-store")
        for share in (0, 0.01, 0.1, 0.5, 0.8):
            with faults.full(disk, int(share * whole)):
                result = run(*words, *other)
            assert result.exit_code == 2 or share > 0.1, (share, result.output)
            if result.exit_code == 0:  # what the builds before it wrote is not written again
                break
            assert "No space left on device" in result.stderr or "disk is full" in result.stderr
            assert len(result.stderr.strip().splitlines()) <= 2, result.stderr
        assert run(*words, *other).exit_code == 0
        made = disk / "place" if what == "--out" else folder / "site"
        assert content(made) == content(folder / "fresh")


def test_a_temporary_folder_that_is_not_there_is_told(folder, run):
    with faults.no_temporary_folder(folder):
        result = run("build", "--folder", "--jobs", "1")
    assert result.exit_code == 0
    assert "failed: net/caffe: the machine failed, not the definition: a process " in result.stderr
    assert TOLD in result.stdout
    assert "0 failures" in run("build", "--folder", "--jobs", "1").stdout
