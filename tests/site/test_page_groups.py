"""Chapters of a model's pages: what is left as it is would have been made the same."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from modeldocs.ir import LayerGraph
from modeldocs.site import build as builds
from modeldocs.site.build import Built
from modeldocs.site.incremental import stored_pages
from modeldocs.site.incremental.page_groups import StoredPageGroup
from modeldocs.site.settings import Settings
from modeldocs.tasks.kind import TaskFolders
from tests.repositories import caffe

RECORD = min((Path(__file__).parents[2] / "models" / "lenet" / "benchmarks").glob("*.json"))
EDITS = 30


@pytest.fixture
def models(tmp_path: Path, tasks_here: None) -> Path:
    """A model of three ports and one of one port; kernels of two of the three differ."""
    for name, kernel_size in (("a/one", 3), ("a/two", 3), ("a/three", 5), ("b/one", 3)):
        file = tmp_path / "models" / f"{name}.prototxt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(caffe(kernel_size=kernel_size))
    return tmp_path / "models"


class Server:
    """Builds one after another, which remember what they wrote."""

    def __init__(self, project: Path) -> None:
        self.project, self.memory = project, stored_pages.WrittenCache()

    def build(self) -> Built:
        built = builds.build(self.project, Settings(jobs=1, parity=False))
        stored_pages.write(built, "index.md", self.memory)
        return built

    def made(self, model: str) -> set[str]:
        """The chapters of a model that the next build makes; a chapter that it keeps is the same
        object.
        """
        before = self.chapters(model)
        self.build()
        return {name for name, one in self.chapters(model).items() if before.get(name) is not one}

    def chapters(self, model: str) -> dict[str, StoredPageGroup]:
        assert self.memory.last is not None
        return self.memory.last.models[model].chapters


@pytest.fixture
def server(models: Path) -> Server:
    started = Server(models.parent)
    started.build()
    return started


def test_a_port_that_changed_is_made_again_with_its_pairs(server: Server, models: Path) -> None:
    (models / "a" / "three.prototxt").write_text(caffe(kernel_size=7))
    assert server.made("a") == {
        "",
        "models/a/ports/three",
        "models/a/diffs/one-vs-three",
        "models/a/diffs/three-vs-two",
    }


def test_a_new_verdict_reaches_the_other_port_of_the_pair(server: Server, models: Path) -> None:
    (models / "a" / "three.prototxt").write_text(caffe(kernel_size=3))
    assert "models/a/ports/one" in server.made("a")


def test_a_record_reaches_the_ports(server: Server, models: Path) -> None:
    record(models / "a", "one")
    made = server.made("a")
    assert "models/a/ports/one" in made
    assert "models/a/diffs/one-vs-two" not in made


def test_a_page_that_something_else_changed_is_made_again(server: Server, models: Path) -> None:
    page = models.parent / ".modeldocs" / "pages" / "models" / "a" / "ports" / "one" / "index.md"
    before = page.read_text()
    page.write_text("other")
    server.memory = stored_pages.WrittenCache()
    server.build()
    assert page.read_text() == before


def test_a_graph_is_decoded_once_for_all_chapters(
    server: Server, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode, read = TaskFolders.graph, Counter[str]()

    def counted(place: TaskFolders, digest: str) -> LayerGraph:
        read[digest] += 1
        return decode(place, digest)

    monkeypatch.setattr(TaskFolders, "graph", counted)
    (models / "a" / "model.yml").write_text("title: Other")
    built = builds.build(models.parent, Settings(jobs=1, parity=False))
    read.clear()
    stored_pages.write(built, "index.md", server.memory)
    assert set(read.values()) == {1}


def record(model: Path, port: str | None, throughput: int = 0) -> None:
    content = json.loads(RECORD.read_text())
    content["model"] |= {"id": model.name, "port": port}
    (model / "benchmarks").mkdir(exist_ok=True)
    (model / "benchmarks" / f"{throughput}-{RECORD.name}").write_text(json.dumps(content))


def edit_port(draw: random.Random, model: Path) -> None:
    file = draw.choice(sorted(model.glob("*.prototxt")) or [model / "one.prototxt"])
    file.write_text(caffe(kernel_size=draw.choice((1, 3, 5, 7)), num_output=draw.choice((4, 6))))


def break_port(draw: random.Random, model: Path) -> None:
    draw.choice(sorted(model.glob("*.prototxt")) or [model / "one.prototxt"]).write_text("layer {")


def add_port(draw: random.Random, model: Path) -> None:
    (model / f"{draw.choice('pqr')}.prototxt").write_text(caffe(kernel_size=draw.choice((3, 5))))


def drop_port(draw: random.Random, model: Path) -> None:
    ports = sorted(model.glob("*.prototxt"))
    if len(ports) > 1:
        draw.choice(ports).unlink()


def edit_manifest(draw: random.Random, model: Path) -> None:
    ports = sorted(file.stem for file in model.glob("*.prototxt"))
    manifest = {
        "title": draw.choice(("Net", "Other", "Third")),
        "summary": draw.choice(("One.", "Two.")),
        "reference": draw.choice(ports),
        "pairs": draw.choice(("all", "reference")),
        "ports": {draw.choice(ports): {"notes": draw.choice(("A note.", "Another."))}},
    }
    (model / "model.yml").write_text(yaml.safe_dump(manifest))


def add_record(draw: random.Random, model: Path) -> None:
    ports = sorted(file.stem for file in model.glob("*.prototxt"))
    record(model, draw.choice((None, *ports)), draw.randrange(3))


EDITORS: tuple[Callable[[random.Random, Path], None], ...] = (
    *(edit_port, edit_port, edit_port, break_port, add_port, drop_port, edit_manifest, add_record),
)


@pytest.mark.parametrize("seed", range(2))
def test_after_any_edits_pages_are_those_of_a_build_that_makes_all(
    server: Server, models: Path, seed: int
) -> None:
    draw = random.Random(seed)
    kept = 0
    for _ in range(EDITS):
        draw.choice(EDITORS)(draw, models / draw.choice("aab"))
        kept += 1
        before = server.chapters("a")
        built = server.build()
        kept += sum(before.get(name) is one for name, one in server.chapters("a").items())
        assert files(models.parent / ".modeldocs") == whole(built)
    assert kept > EDITS  # else nothing was tried


def files(store: Path) -> dict[str, bytes]:
    """The pages in a store, and what fills their slots, by path; without styles and scripts."""
    found = {}
    for folder in ("pages", "late"):
        for file in (store / folder).rglob("*"):
            if file.is_file() and "assets" not in file.parts:
                found[str(file.relative_to(store))] = file.read_bytes()
    return found


def whole(built: Built) -> dict[str, bytes]:
    """The same of a build that makes all pages."""
    found = {}
    for page in built.pages("index.md"):
        found[f"pages/{page.path}"] = page.content
        if page.late:
            found[f"late/{page.path}.json"] = json.dumps(
                page.late, ensure_ascii=False, separators=(",", ":")
            ).encode()
    return found
