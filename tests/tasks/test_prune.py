"""Pruning: what the present catalog uses stays, everything else goes, and nothing while in use."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from modeldocs import catalog, diagram, mark
from modeldocs.cli import main
from modeldocs.diagram import Drawing
from modeldocs.diff import Parity
from modeldocs.errors import ModeldocsError
from modeldocs.numeric import parity
from modeldocs.tasks import build
from modeldocs.tasks.prune import Pruned, prune
from modeldocs.tasks.store import Store
from tests.prototxts import NET
from tests.serial import Serial
from tests.tasks.test_build import Forbidden, onnx_file, ran

pytestmark = pytest.mark.xdist_group("build")


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(parity, "compare", lambda *_: Parity())
    monkeypatch.setattr(diagram, "draw", lambda graph: Drawing(svg=f"<svg>{graph.name}</svg>"))


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A catalog of two models and the store of its build."""
    folder = tmp_path_factory.mktemp("pruned")
    for name in ("one", "two"):
        (folder / "models" / name).mkdir(parents=True)
        onnx_file(folder / "models" / name / "model.onnx", "Relu" if name == "one" else "Tanh")
    (folder / "models" / "one" / "caffe.prototxt").write_text(NET)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parity, "compare", lambda *_: Parity())
        patch.setattr(diagram, "draw", lambda graph: Drawing(svg=f"<svg>{graph.name}</svg>"))
        built(folder)
    return folder


@pytest.fixture
def folder(first, tmp_path):
    shutil.copytree(first, tmp_path / "here")
    return tmp_path / "here"


def built(folder: Path, executor=None):
    read = catalog.read(folder / "models")
    return build.build(read, Store(folder / "store"), workers=executor or Serial())


def pruned(folder: Path, **options) -> Pruned:
    return prune(catalog.read(folder / "models"), Store(folder / "store"), **options)


def files(folder: Path) -> set[Path]:
    return {path for path in (folder / "store").rglob("*") if path.is_file()} - {
        folder / "store" / "lock"
    }


def test_nothing_that_the_catalog_uses_is_deleted(folder):
    before = files(folder)
    assert pruned(folder) == Pruned(answers=0, objects=0, pages=0, parts=0, bytes=0)
    assert files(folder) == before
    assert ran(built(folder, Forbidden())) == set()


def test_results_of_what_changed_are_deleted(folder):
    path = folder / "models" / "one" / "caffe.prototxt"
    path.write_text(NET.replace("num_output: 4", "num_output: 9"))
    built(folder)
    after = files(folder)
    gone = pruned(folder)
    assert gone.answers == 4, "the load, the drawing, the diff and the parity of the former port"
    assert gone.objects > 0 and gone.bytes > 0
    assert len(after) - len(files(folder)) == gone.answers + gone.objects
    assert ran(built(folder, Forbidden())) == set()
    path.write_text(NET)
    assert "load one/caffe" in ran(built(folder))


def test_a_removed_model_leaves_nothing(folder):
    for kind in ("pages", "late"):
        for name in ("one", "two"):
            place = folder / "store" / kind / "models" / name / "ports"
            place.mkdir(parents=True)
            (place / "index.md").write_text(name)
            mark.add(folder / "store", [f"{kind}/models/{name}/ports/index.md"])
        (folder / "store" / kind / "models" / "index.md").write_text("all models")
    shutil.rmtree(folder / "models" / "one")
    assert pruned(folder).pages == 2
    fresh = folder.parent / "fresh"
    shutil.copytree(folder / "models", fresh / "models")
    built(fresh)
    pages = {folder / "store" / kind / "models" / "index.md" for kind in ("pages", "late")}
    pages |= {page.parent / "two" / "ports" / "index.md" for page in pages}
    assert files(folder) > pages
    assert len(files(folder) - pages) == len(files(fresh))
    folders = [path for path in (folder / "store").rglob("*") if path.is_dir()]
    assert all(any(path.iterdir()) for path in folders)


def test_what_killed_writers_left_is_deleted_and_what_others_put_there_stays(folder):
    before = files(folder)
    objects = folder / "store" / "objects" / "ab"
    objects.mkdir(exist_ok=True)
    (objects / ".part-0123456789ab-x_y1z2w3").write_text("half of it")
    others = {objects / ".part-x", objects / "cd", folder / "store" / "answers" / "notes.txt"}
    others |= {folder / "store" / ".part-0123456789ab-x_y1z2w3"}
    for other in others:
        other.write_text("foreign")
    gone = pruned(folder)
    assert (gone.parts, gone.answers, gone.objects) == (1, 0, 0)
    assert files(folder) == before | others


def test_a_dry_run_tells_the_same_and_deletes_nothing(folder):
    shutil.rmtree(folder / "models" / "one")
    before = files(folder)
    told = pruned(folder, dry_run=True)
    assert files(folder) == before
    assert pruned(folder) == told
    assert told.answers > 0


def test_what_was_used_within_some_days_is_kept(folder):
    shutil.rmtree(folder / "models" / "one")
    assert pruned(folder, older_than=1).answers == 0
    for path in files(folder):
        os.utime(path, (time.time() - 3 * 86_400,) * 2)
    assert pruned(folder, older_than=4, dry_run=True).answers == 0
    assert pruned(folder, older_than=2).answers > 0
    assert ran(built(folder, Forbidden())) == set()


def test_a_use_makes_an_answer_young_and_keeps_what_it_needs(folder):
    for path in files(folder):
        os.utime(path, (time.time() - 3 * 86_400,) * 2)
    built(folder)
    shutil.move(folder / "models" / "one", folder / "one")
    assert pruned(folder, older_than=2).answers == 0
    shutil.move(folder / "one", folder / "models" / "one")
    assert ran(built(folder, Forbidden())) == set()


def test_a_store_in_use_is_not_pruned(folder):
    shutil.rmtree(folder / "models" / "one")
    before = files(folder)
    with (
        Store(folder / "store").in_use(),
        Store(folder / "store").in_use(),
        pytest.raises(ModeldocsError, match="is in use") as caught,
    ):
        pruned(folder)
    assert caught.value.fix
    assert files(folder) == before
    assert pruned(folder).answers > 0


def test_no_store_is_told_and_none_is_made(folder):
    with pytest.raises(ModeldocsError, match="there is no store"):
        prune(catalog.read(folder / "models"), Store(folder / "lost"))
    assert not (folder / "lost").exists()


def test_the_command_prints_what_was_freed(folder, monkeypatch):
    monkeypatch.chdir(folder)
    shutil.rmtree(folder / "models" / "one")

    def said(*words: str) -> str:
        return CliRunner().invoke(main, ["store", "prune", "--store", "store", *words]).stdout

    would = said("--dry-run")
    assert would.startswith("would free ") and " results, " in would
    assert said() == would.replace("would free", "freed")
    assert said() == "freed 0 B: 0 results, 0 objects, 0 pages, 0 unfinished files\n"
