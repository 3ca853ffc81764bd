"""A link that leads in a circle is a mistake of its model: every command does the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import run_here
from tests.repositories import History, caffe

TOLD = "is a link that leads in a circle"

COMMANDS = (
    ("load", "a/caffe"),
    ("verify", "a/caffe"),
    ("build", "--jobs", "1"),
    ("build", "--folder"),
    ("bench", "list"),
    ("store", "prune"),
    ("ci", "github", "--install", "true"),
    ("preview", "--base", "main", "--jobs", "1", "--no-verify"),
    ("preview", "--base", "main", "--head", "HEAD", "--jobs", "1", "--no-verify"),
)


def to_itself(name: str) -> Callable[[Path], None]:
    def place(models: Path) -> None:
        path = models / name
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(path.name)

    return place


def to_each_other(models: Path) -> None:
    (models / "b" / "x.prototxt").symlink_to("y.prototxt")
    (models / "b" / "y.prototxt").symlink_to("x.prototxt")


def named_in_the_manifest(models: Path) -> None:
    (models / "b" / "model.yml").write_text("ports: {third: {file: z.prototxt}}\n")
    (models / "b" / "z.prototxt").symlink_to("z.prototxt")


PLACES = {
    "a file of no port": (to_itself("b/loop"), "b"),
    "two definitions": (to_each_other, "b"),
    "a definition in Python": (to_itself("b/pytorch.py"), "b/ports/pytorch"),
    "a definition of the manifest": (named_in_the_manifest, "b/ports/third"),
    "the manifest": (to_itself("b/model.yml"), "b"),
    "the records": (to_itself("b/benchmarks"), "b"),
    "the model's folder": (to_itself("c"), "c"),
}


def history(folder: Path, place: Callable[[Path], None]) -> Path:
    """A repository whose branch `change` has such a link."""
    repository = History(folder)
    files = ("a/caffe.prototxt", "b/caffe.prototxt")
    ignored = {".gitignore": ".modeldocs/\nsite/\npages/\npreview/\n"}
    manifest = {"models/b/model.yml": "title: B\n", "models/_common/blocks.py": "SIZE = 3\n"}
    repository.commit({f"models/{name}": caffe() for name in files} | ignored | manifest)
    repository.branch("change")
    place(folder / "models")
    repository.commit()
    return folder


@pytest.mark.parametrize("what", PLACES)
def test_every_command_does_the_rest_and_the_page_says_it(what: str, tmp_path: Path) -> None:
    place, page = PLACES[what]
    root = history(tmp_path / "repository", place)
    for words in COMMANDS:
        done = run_here(*words, cwd=root)
        assert done.returncode == 0, (words, done.stderr)
        assert "defect" not in done.stderr
    for site in (root / "site", root / "preview" / "site"):
        assert TOLD in (site / "models" / page / "index.html").read_text()
    assert (root / "site" / "models" / "a" / "ports" / "caffe" / "index.html").exists()
    assert (root / "site" / "models" / "b" / "index.html").exists()


@pytest.mark.parametrize("name", ["_common/loop.py", "_loop"])
def test_one_in_shared_folders_stops_nothing(name: str, tmp_path: Path) -> None:
    root = history(tmp_path / "repository", to_itself(name))
    for words in COMMANDS:
        done = run_here(*words, cwd=root)
        assert done.returncode == 0, (words, done.stderr)
        assert "failed" not in done.stderr


def test_a_port_that_imports_one_fails_alone(tmp_path: Path) -> None:
    pytest.importorskip("torch")

    def place(models: Path) -> None:
        to_itself("_common/loop.py")(models)
        (models / "b" / "pytorch.py").write_text(
            "import torch\nfrom _common.loop import SIZE\n"
            "INPUTS = {'x': (1, 3, 8, 8)}\nmodel = torch.nn.ReLU()\n"
        )

    root = history(tmp_path / "repository", place)
    done = run_here("build", "--jobs", "1", cwd=root)
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if line.startswith("failed: ")] == [
        line for line in done.stderr.splitlines() if line.startswith("failed: b/pytorch: ")
    ]
    assert "failed: b/pytorch: " in done.stderr


def test_a_record_that_is_one_is_told_by_the_model(tmp_path: Path) -> None:
    root = history(tmp_path / "repository", to_itself("b/benchmarks/run.json"))
    for words in COMMANDS:
        assert run_here(*words, cwd=root).returncode == 0, words
    assert "links" in (root / "site" / "models" / "b" / "index.html").read_text()


def test_a_file_of_ones_own_that_is_one_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop.prototxt").symlink_to("loop.prototxt")
    done = run_here("load", "loop.prototxt", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no such file" in done.stderr and "fix:" in done.stderr
