"""A file that imports no framework is of the one that its own imported files use."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import catalog, loaders
from modeldocs.loaders.python_source import imported_files

CYCLE = {"a.py": "import b", "b.py": "import a, c", "c.py": "from a import *\nimport torch"}

PROJECTS = {
    "beside it": ({"port.py": "from net import GPT", "net.py": "import torch"}, "pytorch"),
    "through others": ({"port.py": "import a", **CYCLE}, "pytorch"),
    "in a function": (
        {"port.py": "def model():\n    from net import m\n", "net.py": "import chainer"}, "chainer"
    ),
    "in a package": (
        {"port.py": "import nets.deep.unet", "nets/deep/unet.py": "import mxnet as mx"}, "mxnet"
    ),
    "in the package's own file": (
        {"port.py": "import nets.unet", "nets/__init__.py": "import torch", "nets/unet.py": ""},
        "pytorch",
    ),
    "a module named after `import`": (
        {"port.py": "from nets import unet", "nets/unet.py": "import keras"}, "keras"
    ),
    "a package that is built on one": ({"port.py": "import a", "a.py": "import timm"}, "pytorch"),
    "relative": (
        {"__init__.py": "", "port.py": "from .net import A", "net.py": "from . import base",
         "base.py": "import torch"}, "pytorch",
    ),
    "of a project": (
        {"README.md": "", "nets/port.py": "from nets import a", "nets/a.py": "import mxnet"},
        "mxnet",
    ),
    "the nearest decides": (
        {"port.py": "import a", "a.py": "import b\nimport chainer", "b.py": "import torch"},
        "chainer",
    ),
    "none of them": ({"port.py": "import a, numpy", "a.py": "import json"}, None),
    "another that is not imported": ({"port.py": "import a", "b.py": "import torch"}, None),
    "broken": ({"port.py": "import a", "a.py": "def (:"}, None),
}  # fmt: skip


def write(folder: Path, files: dict[str, str]) -> Path:
    """The port among these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return next(folder.rglob("port.py"))


@pytest.mark.parametrize("project", PROJECTS)
def test_the_framework_is_that_of_the_imported_files(tmp_path: Path, project: str) -> None:
    files, framework = PROJECTS[project]
    assert loaders.recognise(write(tmp_path / "p", files)) == framework


def test_files_are_followed_once_and_nearest_first(tmp_path: Path) -> None:
    port = write(tmp_path, {"port.py": "import a", **CYCLE})
    assert [path.name for path in imported_files.of(port)] == ["a.py", "b.py", "c.py"]


def test_a_repository_of_thousands_is_not_read_whole(tmp_path: Path) -> None:
    chain = {f"m{number}.py": f"import m{number + 1}" for number in range(1000)}
    found = list(imported_files.of(write(tmp_path, {"port.py": "import m0", **chain})))
    assert 100 <= len(found) < 300


def test_a_port_of_a_catalog_may_import_a_shared_folder_alone(tmp_path: Path) -> None:
    inputs = "INPUTS = {'x': (1, 4)}\n"
    write(tmp_path / "models", {
        "_parts/dense.py": "from torch import nn",
        "net/port.py": f"from _parts.dense import nn\n{inputs}",
        "other/model.py": f"from net import port\n{inputs}",
    })  # fmt: skip
    read = catalog.read(tmp_path / "models")
    assert [(p.request.name, p.framework) for m in read.models for p in m.ports] == [
        ("net", "pytorch")
    ]
