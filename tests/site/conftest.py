"""The sites that tests look at: our own catalog's, and one of everything that goes wrong."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from filelock import FileLock
from playwright.sync_api import Page

from modeldocs import environments

from ..browser import OpenTab
from ..commands import run_here

REPOSITORY = Path(__file__).parents[2]

SHOWN = {
    "alexnet": ("pytorch", "caffe"),
    "alexnet-owt": ("torch7",),
    "bert-base": ("pytorch",),
    "cifar10-quick": (),
    "inception-bn": ("mxnet",),
    "lenet": ("pytorch", "mxnet", "onnx", "chainer", "caffe"),
    "mlp-4-hidden": None,
    "resnet50": ("caffe", "pytorch"),
    "simple-cnn": ("keras", "tensorflow"),
    "ssd300-vgg16": ("caffe",),
}
"""The models that tests look at, with those ports or all: every framework is among them.

Each port more of LeNet is a page more for every other port of it.
"""

PROVEN = ("lenet/caffe", "lenet/onnx")

WRITTEN = ("lenet", "--to", "pytorch")
"""The model of which there is a program, and its target."""

RUN = {"lenet": ("pytorch", "caffe"), "resnet50": ("caffe", "pytorch")}
"""Ports of them that are run with the same weights: every pair would take minutes."""

HOSTILE = "</script><img src=x onerror=alert(1)>"


def _once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Let the first worker that comes make `folder`, the others wait for it."""
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            folder.mkdir()
            make(folder)
    return folder


@pytest.fixture(scope="session")
def own_site(shared_folder: Path, store_folder: Path, environment) -> Path:
    """The site of a part of our own catalog with every framework in it."""

    def make(folder: Path) -> None:
        write_shown_catalog(folder / "models", SHOWN)
        for name in environments.names():
            environment(name)
        build_shown(folder / "models", store_folder, folder / "site")

    return _once(shared_folder / "own", make) / "site"


def build_shown(models: Path, store: Path, site: Path) -> None:
    """The site of a catalog of ours, some of its ports proven, some pairs of them run."""
    few = site.parent / "few"
    write_shown_catalog(few / "models", RUN)
    whole, part = (
        ["--models", str(held), "--store", str(store)] for held in (models, few / "models")
    )
    for words in (
        ("verify", *PROVEN, *whole, "--strict"),
        ("generate", *WRITTEN, *whole),
        ("build", "--folder", "--out", str(few / "pages"), *part, "--strict"),
        ("build", "--no-parity", "--out", str(site), *whole, "--strict"),
    ):
        process = run_here(*words, cwd=REPOSITORY)
        assert process.returncode == 0, process.stdout + process.stderr


def write_shown_catalog(models: Path, shown: dict[str, tuple[str, ...] | None]) -> None:
    """A catalog of models and ports of ours, each with those ports or all; the last is held to
    be its reference.
    """
    for model, ports in shown.items():
        shutil.copytree(REPOSITORY / "models" / model, models / model)
        if ports is not None:
            for file in (models / model).iterdir():
                if file.stem not in (*ports, "model", "benchmarks") or _is_other_onnx(file, ports):
                    shutil.rmtree(file) if file.is_dir() else file.unlink()
            manifest = yaml.safe_load((models / model / "model.yml").read_text())
            manifest |= {"ports": {}, "reference": ports[-1] if ports else None}
            (models / model / "model.yml").write_text(yaml.safe_dump(manifest))


def _is_other_onnx(file: Path, ports: tuple[str, ...]) -> bool:
    return file.suffix == ".onnx" and "onnx" not in ports


def write_bad_catalog(folder: Path) -> None:
    """A catalog with one of each thing that goes wrong, and one good port of a hostile name."""
    (folder / "mkdocs.yml").write_text(
        "site_name: bad\ntheme: {name: material, font: false}\n"
        "plugins: [search, modeldocs]\nmarkdown_extensions: [attr_list, md_in_html, tables]\n"
    )
    (folder / "docs").mkdir()
    (folder / "docs" / "about.md").write_text("# About\n")
    models = folder / "models"

    def put(name: str, text: str | bytes) -> None:
        path = models / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    put("good/caffe.prototxt", net(HOSTILE))
    put("good/model.yml", f"title: '{HOSTILE}'\nsummary: '{{: onclick=alert(1)}} <b>x</b>'\n")
    put("syntax/caffe.prototxt", net("conv").replace("layer {", "layer { ]", 1))
    put("syntax/model.yml", "titel: Wrong\n")
    put("raises/pytorch.py", "import torch\ndef model():\n    raise KeyError('no such weights')\n")
    put("exits/pytorch.py", "import torch, os\nos._exit(0)\n")
    put("prints/pytorch.py", "import torch\nprint('<b>loud</b>')\ndef model():\n    return 3\n")
    put("truncated/model.onnx", (REPOSITORY / "models/lenet/model.onnx").read_bytes()[:900])
    put("twice/model.onnx", (REPOSITORY / "models/lenet/model.onnx").read_bytes())
    put("twice/onnx.onnx", (REPOSITORY / "models/lenet/model.onnx").read_bytes())


def net(name: str) -> str:
    """A Caffe net of two layers, the first of that name."""
    return f"""name: "net"
layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: [1, 3, 8, 8] }} }} }}
layer {{ name: "{name}" type: "Convolution" bottom: "data" top: "a"
  convolution_param {{ num_output: 4 kernel_size: 3 }} }}
layer {{ name: "relu" type: "ReLU" bottom: "a" top: "a" }}
"""


@pytest.fixture(scope="session")
def bad_build(shared_folder: Path) -> tuple[Path, str, int]:
    """The site of a catalog full of mistakes, what its build printed, and its exit code."""

    def make(folder: Path) -> None:
        write_bad_catalog(folder)
        process = run_here("build", cwd=folder)
        (folder / "printed.txt").write_text(process.stdout + process.stderr)
        (folder / "code.txt").write_text(str(process.returncode))

    folder = _once(shared_folder / "bad", make)
    return (
        folder / "site",
        (folder / "printed.txt").read_text(),
        int((folder / "code.txt").read_text()),
    )


@pytest.fixture(scope="session")
def address(own_site: Path, serve: Callable[[Path], str]) -> str:
    return serve(own_site)


@pytest.fixture
def page(open_tab: OpenTab, address: str) -> Page:
    return open_tab(base_url=address, viewport={"width": 1500, "height": 1000})
