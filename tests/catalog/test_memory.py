"""A catalog that is read again with a memory: as without one, and unchanged models as they were."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeldocs import catalog

NET = 'input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8\n'
TORCH = "import torch\nINPUTS = {'x': (1, 8)}\n"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    write(folder)
    return folder


def write(folder: Path) -> None:
    for name, text in {
        "a/caffe.prototxt": NET,
        "a/pytorch.py": TORCH,
        "b/caffe.prototxt": NET,
        "b/model.yml": "title: B\n",
        "other/part.prototxt": NET,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def link(path: Path, target: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


EDITS: dict[str, Callable[[Path], object]] = {
    "a port is no port any more": lambda m: (m / "a" / "caffe.prototxt").write_text("# nothing\n"),
    "a port comes": lambda m: (m / "a" / "more.prototxt").write_text(NET),
    "a port goes": lambda m: (m / "a" / "pytorch.py").unlink(missing_ok=True),
    "a helper comes": lambda m: (m / "a" / "blocks.py").write_text("import torch\n"),
    "a title": lambda m: (m / "b" / "model.yml").write_text("title: Better\n"),
    "a mistake": lambda m: (m / "b" / "model.yml").write_text("ports: 3\n"),
    "no manifest": lambda m: (m / "b" / "model.yml").unlink(missing_ok=True),
    "a file of another folder": lambda m: (m / "b" / "model.yml").write_text(
        "ports: {part: {file: ../other/part.prototxt}}\n"
    ),
    "that file goes": lambda m: (m / "other" / "part.prototxt").unlink(missing_ok=True),
    "that file comes": lambda m: (m / "other" / "part.prototxt").write_text(NET),
    "a link": lambda m: link(m / "b" / "linked.prototxt", m / "other" / "part.prototxt"),
    "records": lambda m: (m / "a" / "benchmarks").mkdir(exist_ok=True),
    "a folder": lambda m: (m / "a" / "saved").mkdir(exist_ok=True),
    "a definition in a folder": lambda m: (
        (m / "a" / "saved" / "saved_model.pb").write_bytes(b"")
        if (m / "a" / "saved").is_dir()
        else None
    ),
    "shared code": lambda m: (m / "_common").mkdir(exist_ok=True),
    "a model": lambda m: shutil.copytree(m / "a", m / "c", dirs_exist_ok=True, symlinks=True),
    "no model": lambda m: shutil.rmtree(m / "b", ignore_errors=True) or (m / "b").mkdir(),
}


@settings(max_examples=40, deadline=None)
@given(edits=st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=6))
def test_a_memory_changes_nothing(tmp_path_factory: pytest.TempPathFactory, edits) -> None:
    models = tmp_path_factory.mktemp("catalog")
    write(models)
    memory = catalog.CatalogCache()
    catalog.read(models, memory)
    for edit in edits:
        EDITS[edit](models)
        assert catalog.read(models, memory) == catalog.read(models), edit


def test_only_models_that_changed_are_read_again(models: Path) -> None:
    memory = catalog.CatalogCache()
    before = {model.id: model for model in catalog.read(models, memory).models}
    (models / "a" / "caffe.prototxt").write_text(f"{NET}# a comment\n")
    after = {model.id: model for model in catalog.read(models, memory).models}
    assert {name for name in after if after[name] is not before[name]} == {"a"}
