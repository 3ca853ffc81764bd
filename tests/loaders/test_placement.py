"""A file is loaded from where it lies: with its package, and with its project's other folders."""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

import pytest

from modeldocs import sources
from modeldocs.errors import ModeldocsError
from modeldocs.ir import LayerGraph
from modeldocs.isolation import Limits
from modeldocs.loaders import loading
from modeldocs.loaders.python_source import placement

pytest.importorskip("torch")

NET = """
import chainer
from {layers} import Twice
INPUTS = {{"x": (1, 3)}}
class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.twice = Twice(3)
    def forward(self, x):
        return self.twice(x)
"""
LAYERS = """
import chainer
{more}
class Twice(chainer.Chain):
    def __init__(self, width):
        super().__init__()
        with self.init_scope():
            self.layer = chainer.links.Linear(width, 2 * width)
    def forward(self, x):
        return chainer.functions.relu(self.layer(x))
"""


@pytest.fixture(autouse=True)
def chainer(environment):
    """The framework of these files, of all the one that is imported the fastest."""
    environment("chainer")


def tree(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder, which is given back."""
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(textwrap.dedent(text))
    return folder


def loaded(source: str) -> LayerGraph:
    """The graph of a file, loaded as the command line does."""
    with sources.resolve(source, Path("models")) as port:
        result = loading.load(port.framework, port.request, Limits(seconds=60))
    if result.failure is not None:
        raise result.failure.error()
    assert result.graph is not None
    return result.graph


PACKAGE = {
    "pkg/__init__.py": "",
    "pkg/sizes.py": "WIDTH = 3\n",
    "pkg/models/__init__.py": "",
    "pkg/models/net.py": NET.format(layers=".layers"),
    "pkg/models/layers.py": LAYERS.format(more="from pkg.sizes import WIDTH"),
}


def test_relative_imports_are_those_of_the_package_around(tmp_path):
    graph = loaded(f"{tree(tmp_path, PACKAGE) / 'pkg/models/net.py'}:Net")
    assert [layer.operator for layer in graph.layers] == ["Gemm", "Relu"]


def test_lines_are_told_from_the_packages_own_folder(tmp_path):
    graph = loaded(f"{tree(tmp_path, PACKAGE) / 'pkg/models/net.py'}:Net")
    assert graph.layers[0].origins[0].file == "models/layers.py"


def test_without_init_files_it_reaches_as_far_as_the_imports(tmp_path):
    files = {
        "code/models/net.py": NET.format(layers="..parts.layers"),
        "code/parts/layers.py": LAYERS.format(more=""),
    }
    folder = tree(tmp_path, files)
    assert loaded(f"{folder / 'code/models/net.py'}:Net").totals().parameters == 24
    assert placement.of(folder / "code/models/net.py").package == folder / "code"


def test_absolute_imports_start_where_the_project_does(tmp_path):
    files = {
        "README.md": "# A project",
        "src/net.py": NET.format(layers="parts.layers"),
        "parts/layers.py": LAYERS.format(more=""),
    }
    assert loaded(f"{tree(tmp_path, files) / 'src/net.py'}:Net").totals().parameters == 24


def test_nothing_is_looked_for_outside_the_project(tmp_path):
    files = {
        "parts/layers.py": LAYERS.format(more=""),
        "project/README.md": "# A project",
        "project/net.py": NET.format(layers="parts.layers"),
    }
    with pytest.raises(ModeldocsError, match="imports parts, which is not installed") as raised:
        loaded(f"{tree(tmp_path, files) / 'project/net.py'}:Net")
    assert raised.value.place == "net.py:3"


def test_a_package_may_have_the_name_of_a_framework(tmp_path):
    files = {
        "chainer/__init__.py": "",
        "chainer/net.py": NET.format(layers=".layers"),
        "chainer/layers.py": LAYERS.format(more=""),
    }
    assert loaded(f"{tree(tmp_path, files) / 'chainer/net.py'}:Net").totals().parameters == 24


def test_a_mistake_in_another_file_of_the_package_is_told_there(tmp_path):
    folder = tree(tmp_path, PACKAGE | {"pkg/models/layers.py": "import chainer\nclass Twice(:\n"})
    with pytest.raises(ModeldocsError, match="SyntaxError") as raised:
        loaded(f"{folder / 'pkg/models/net.py'}:Net")
    assert raised.value.place == "models/layers.py:2"


def test_a_module_that_the_installed_package_lacks_is_told_with_its_line(tmp_path):
    folder = tree(tmp_path, {"net.py": "import chainer\nfrom chainer.not_there import load\n"})
    with pytest.raises(ModeldocsError, match="which the installed chainer does not") as raised:
        loaded(f"{folder / 'net.py'}:Net")
    assert raised.value.place == "net.py:2"


def test_a_missing_package_of_the_command_line_is_no_line_of_ours():
    request = sources.LoadRequest(
        root=str(Path(sources.__file__).parent.parent), module="not_there.nets", entry="Net"
    )
    told = loading.load("pytorch", request, Limits(seconds=60)).failure
    assert (told.reason, told.file, told.line) == (
        "imports not_there, which is not installed", "not_there.nets", None,
    )  # fmt: skip


def commit() -> None:
    """Commit all files below the current folder to a new repository."""
    said = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], [*said, "commit", "-q", "-m", "a"]):
        subprocess.run(["git", *command], check=True)


def test_at_a_revision_it_comes_with_its_package(tmp_path, monkeypatch):
    tree(tmp_path, PACKAGE)
    monkeypatch.chdir(tmp_path)
    commit()
    assert loaded("git:HEAD:pkg/models/net.py:Net").totals().parameters == 24


def test_at_a_revision_a_file_of_the_catalog_comes_with_the_shared_folders(tmp_path, monkeypatch):
    files = {"net/chainer.py": NET.format(layers="_common.layers"), "_common/layers.py": LAYERS}
    tree(tmp_path, {f"models/{name}": text.replace("{more}", "") for name, text in files.items()})
    monkeypatch.chdir(tmp_path)
    commit()
    for source in ("git:HEAD:models/net/chainer.py", "models/net/chainer.py"):
        assert loaded(f"{source}:Net").totals().parameters == 24
