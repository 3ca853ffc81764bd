"""One catalog, three generators of static sites: the same pages, the same words."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..commands import run_here
from .conftest import REPOSITORY

pytestmark = pytest.mark.xdist_group("generators")

CONFIG = """\
site_name: three
docs_dir: {docs}
theme: {{name: material, font: false}}
plugins: {plugins}
markdown_extensions: [attr_list, md_in_html, tables, toc]
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalog that no framework is needed for, built three times."""
    folder = tmp_path_factory.mktemp("three")
    for model in ("lenet", "alexnet"):
        target = folder / "models" / model
        target.mkdir(parents=True)
        for file in (REPOSITORY / "models" / model).glob("*.*"):
            if file.suffix in (".prototxt", ".onnx", ".yml"):
                shutil.copy(file, target)
    (folder / "docs").mkdir()
    (folder / "docs" / "about.md").write_text("# About\n\nWords.\n")
    (folder / "mkdocs.yml").write_text(CONFIG.format(docs="docs", plugins="[search, modeldocs]"))
    process = run_here("build", cwd=folder)
    assert process.returncode == 0, process.stderr
    return folder


def tool(name: str) -> str:
    path = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def run(command: list[str], folder: Path) -> None:
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    process = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr


def main_text(file: Path) -> str:
    """The words of a page's article, without permalinks and what a generator adds."""
    article = re.search(r"<article.*?</article>", file.read_text("utf-8"), re.S)
    assert article is not None, file
    body = re.sub(
        r'<a class="headerlink".*?</a>|<(script|style)\b.*?</\1>', "", article[0], flags=re.S
    )
    body = re.sub(r'<span class="mr-digits">(.*?)</span>', r"\1", body)  # inside of a word
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def pages(site: Path) -> dict[str, str]:
    files = sorted(f for f in site.rglob("index.html") if "about" not in f.parts)
    return {str(file.relative_to(site)): main_text(file) for file in files}


def test_properdocs_builds_the_same_site(project: Path) -> None:
    run([tool("properdocs"), "build", "-f", "mkdocs.yml", "-d", "proper"], project)
    assert pages(project / "proper") == pages(project / "site")


@pytest.fixture(scope="module")
def plain(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as a plain folder, into which somebody put a file; it had another model before."""
    folder = tmp_path_factory.mktemp("zensical") / "plain"
    shutil.copytree(project / "models" / "lenet", project / "models" / "gone")
    for again in (False, True):
        process = run_here("build", "--folder", "--out", str(folder), cwd=project)
        assert process.returncode == 0, process.stderr
        if not again:
            (folder / "assets" / "logo.svg").write_text("mine")
            assert (folder / "models" / "gone" / "index.md").exists()
            shutil.rmtree(project / "models" / "gone")
    return folder


def test_zensical_builds_the_same_pages_from_a_plain_folder(project: Path, plain: Path) -> None:
    zensical, folder = tool("zensical"), plain.parent
    (folder / "mkdocs.yml").write_text(CONFIG.format(docs=plain.name, plugins="[search]"))
    run([zensical, "build"], folder)
    site_pages = pages(folder / "site")
    assert site_pages.pop("SUMMARY/index.html")
    assert site_pages == pages(project / "site")


def test_pages_and_their_files_are_all_there(project: Path) -> None:
    port = project / "site" / "models" / "lenet" / "ports" / "caffe"
    files = {"index.html", "model.onnx", "graph.json", "layers.csv"}
    pictures = {"overview.svg", "diagram.svg", "diagram.dot"}
    loaded = {"layers.js", "columns.js", "heat.js", "architecture.js", "roofline.js"}
    assert {file.name for file in port.iterdir()} == files | pictures | loaded
    assert (project / "site" / "schemas" / "graph.schema.json").exists()
    assert (
        project / "site" / "models" / "lenet" / "diffs" / "caffe-vs-onnx" / "diff.json"
    ).exists()


def test_tables_stay_out_of_the_search_index(project: Path) -> None:
    index = (project / "site" / "search" / "search_entries.json").read_text()
    assert "LeNet" in index
    assert "MaxPool" in index
    assert "1×20×24×24" not in index
    assert len(index) < 20_000


def test_a_plain_folder_keeps_the_files_of_others(plain: Path) -> None:
    assert (plain / "assets" / "logo.svg").read_text() == "mine"
    assert not (plain / "models" / "gone" / "index.md").exists()
    summary = (plain / "SUMMARY.md").read_text()
    assert "- [LeNet](models/lenet/index.md)" in summary
