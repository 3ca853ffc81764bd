"""The wheel alone, in an empty environment without torch, makes a site from a prototxt."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import uv

REPOSITORY = Path(__file__).parents[1]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("package")]


def run(command: list[str], folder: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL"))}
    process = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, f"{' '.join(command)}\n{process.stdout}{process.stderr}"
    return process.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    run(build, REPOSITORY)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel and what it needs, nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    python = str(folder / "bin" / "python")
    run([uv.find_uv_bin(), "venv", "-q", "--python", sys.executable, str(folder)], folder)
    run([uv.find_uv_bin(), "pip", "install", "-q", "--python", python, str(wheel)], folder)
    return folder / "bin"


@pytest.fixture(scope="module")
def first(bin_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalog as `modeldocs new` makes it, and a PyTorch port put beside its first model."""
    folder = tmp_path_factory.mktemp("user") / "first"
    run([str(bin_folder / "modeldocs"), "new", str(folder)], folder.parent)
    return folder


def test_the_wheel_carries_templates_styles_and_scripts(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    held = {name.partition("/")[2] for name in names if name.startswith("modeldocs/")}
    assert {"templates/port.md.j2", "templates/new/mkdocs.yml.j2"} <= held
    assert {"templates/styles/tables.css", "templates/scripts/tables.js"} <= held
    assert not any(name.startswith(("tests", "evaluation", "models", "site_src")) for name in names)


def test_a_first_catalog_builds_without_torch(bin_folder: Path, first: Path) -> None:
    output = run([str(bin_folder / "modeldocs"), "build", "--jobs", "1", "--strict"], first)
    assert "1 model, 1 port, 0 diffs, 0 records, 0 failures" in output
    port = first / "site" / "models" / "tiny-cnn" / "ports" / "caffe" / "index.html"
    assert "MaxPool" in port.read_text()
    assert (first / "site" / "assets" / "modeldocs.css").exists()


def test_mkdocs_itself_builds_it_too(bin_folder: Path, first: Path) -> None:
    run([str(bin_folder / "mkdocs"), "build", "-q", "--strict", "-d", "by-mkdocs"], first)
    assert (first / "by-mkdocs" / "models" / "tiny-cnn" / "index.html").exists()


def test_a_pytorch_port_says_how_torch_is_installed(bin_folder: Path, first: Path) -> None:
    port = first / "models" / "tiny-cnn" / "pytorch.py"
    port.write_text("import torch\nINPUTS = {'x': (1, 3, 8, 8)}\nmodel = torch.nn.ReLU()\n")
    output = run([str(bin_folder / "modeldocs"), "build", "--jobs", "1"], first)
    assert "1 model, 2 ports, 0 diffs, 0 records, 1 failure" in output
    page = first / "site" / "models" / "tiny-cnn" / "ports" / "pytorch" / "index.html"
    assert "pip install torch; for a build without CUDA" in page.read_text()
    assert "pip install torch; for a build without CUDA" in run(
        [str(bin_folder / "modeldocs"), "doctor"], first
    )
    port.unlink()


def test_a_store_made_elsewhere_is_enough_without_the_framework(
    bin_folder: Path, first: Path, tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    assert torch
    port = first / "models" / "tiny-cnn" / "pytorch.py"
    port.write_text("import torch\nINPUTS = {'x': (1, 3, 8, 8)}\nmodel = torch.nn.ReLU()\n")
    build = ["build", "--jobs", "1", "--folder"]
    build += ["--out", str(tmp_path / "pages"), "--store", str(tmp_path / "s")]
    run([sys.executable, "-m", "modeldocs", *build], first)
    output = run([str(bin_folder / "modeldocs"), *build], first)
    assert "0 failures; 0 loaded now" in output
    port.unlink()
