"""Folders of a catalog whose names begin with `_` are shared by its ports, and no others are."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import catalog, sources
from modeldocs.loaders import loading
from modeldocs.tasks import build
from modeldocs.tasks.results import Results
from modeldocs.tasks.store import Store
from tests.prototxts import NET
from tests.tasks.test_build import ran

pytestmark = pytest.mark.usefixtures("tasks_here")

BLOCKS = """\
import torch

from .sizes import WIDTH


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, WIDTH)

    def forward(self, x):
        return self.layer(x)
"""
PORT = """\
import torch

from _common.blocks import Block

INPUTS = {"x": (1, 8)}
model = torch.nn.Sequential(Block(), torch.nn.ReLU())
"""
ALONE = PORT.replace("from _common.blocks import Block", "Block = torch.nn.ReLU")
FILES = {
    "_common/blocks.py": BLOCKS,
    "_common/sizes.py": "WIDTH = 4\n",
    "_common/unused.py": "",
    "a/pytorch.py": PORT,
    "b/pytorch.py": PORT,
    "b/alone.py": ALONE,
    "b/caffe.prototxt": NET,
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """Two models, of which two ports import a block from a shared folder."""
    write(tmp_path / "models", FILES)
    return tmp_path / "models"


@pytest.fixture
def loaded(models: Path, tmp_path: Path):
    """`loaded()`: all ports, loaded or recalled; nothing is drawn or compared."""

    def run() -> Results:
        return build.load_all(catalog.read(models), Store(tmp_path / "store"))

    return run


def failure(results: Results, models: Path, name: str):
    return results.loaded(*catalog.read(models).port(name)).failure


def test_ports_import_from_it_and_name_its_lines(models, loaded):
    results = loaded()
    model, port = catalog.read(models).port("a/pytorch")
    graph = results.graph(model, port)
    (origin,) = graph.layers[0].origins
    assert (origin.file, origin.line) == ("../_common/blocks.py", 9)
    assert set(results.loaded(model, port).read) == {
        "a/pytorch.py",
        "_common/blocks.py",
        "_common/sizes.py",
    }


def test_an_edit_reloads_the_ports_that_import_it_and_no_others(models, loaded):
    assert len(ran(loaded())) == 4
    write(models, {"_common/unused.py": "more = 1\n", "_new/module.py": ""})
    assert ran(loaded()) == set()
    write(models, {"_common/sizes.py": "WIDTH = 5\n"})
    assert ran(loaded()) == {"load a/pytorch", "load b/pytorch"}
    write(models, {"_common/sizes.py": "WIDTH = 4\n"})
    assert ran(loaded()) == set()


def test_a_port_that_missed_a_shared_file_is_tried_again_when_it_is_there(models, loaded):
    (models / "_common" / "sizes.py").unlink()
    assert "_common.sizes" in failure(loaded(), models, "a/pytorch").reason
    write(models, {"_common/sizes.py": "WIDTH = 4\n"})
    assert {"load a/pytorch", "load b/pytorch"} <= ran(results := loaded())
    assert failure(results, models, "a/pytorch") is None


def test_shared_folders_import_each_other(models, loaded):
    write(
        models,
        {
            "_common/__init__.py": "",
            "_common/sizes.py": "from _sizes import WIDTH\n",
            "_sizes/__init__.py": "WIDTH = 3\n",
        },
    )
    results = loaded()
    assert failure(results, models, "a/pytorch") is None
    read = results.loaded(*catalog.read(models).port("a/pytorch")).read
    assert {"_sizes/__init__.py", "_common/__init__.py"} <= set(read)


def test_a_folder_of_no_model_is_not_shared_and_the_fix_says_how(models, loaded):
    (models / "_common").rename(models / "common")
    write(models, {"a/pytorch.py": PORT.replace("_common", "common")})
    told = failure(loaded(), models, "a/pytorch")
    assert told.fix.startswith("if it is the folder common of the catalog, rename it to _common")
    assert (told.file, told.line) == ("pytorch.py", 3)


READS = """\
import torch
from pathlib import Path
{}
INPUTS = {{"x": (1, 8)}}
model = torch.nn.ReLU()
"""


@pytest.mark.parametrize(
    "forbidden",
    [
        'Path("{models}/_common/blocks.py").write_text("")',
        'Path("{models}/_common/new.py").write_text("")',
        'Path("{models}/_common/sizes.py").unlink()',
        'Path("{models}/b/caffe.prototxt").read_text()',
        'list(Path("{models}").iterdir())',
        'list(Path("{models}/_linked").iterdir())',
    ],
)
def test_nothing_there_is_written_and_no_other_folder_is_read(models, loaded, tmp_path, forbidden):
    (tmp_path / "secrets").mkdir()
    (models / "_linked").symlink_to(tmp_path / "secrets")
    write(models, {"a/pytorch.py": READS.format(forbidden.format(models=models))})
    assert "PermissionError" in failure(loaded(), models, "a/pytorch").reason
    assert (models / "_common" / "blocks.py").read_text() == BLOCKS


def test_links_and_caches_are_no_shared_folders(models, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (models / "_linked").symlink_to(tmp_path / "elsewhere")
    write(models, {"__pycache__/x.pyc": "", "_file": "", ".hidden/x.py": ""})
    assert catalog.shared(models) == (str(models.resolve() / "_common"),)


def test_a_data_file_reads_none_of_it(models):
    port = catalog.read(models).port("b/caffe")[1]
    assert not [place for place in loading.readable(port.request) if "_common" in place]


def test_a_file_of_the_catalog_on_the_command_line_imports_it_too(models, loaded):
    write(models, {"a/model.yml": "title: A\n"})
    with sources.resolve(str(models / "a" / "pytorch.py"), models) as port:
        loaded_port = loading.load(port.framework, port.request, port.limits)
    assert loaded_port.failure is None
