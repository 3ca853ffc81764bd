"""The sites that tests look at: our own catalog's, and one of everything that goes wrong."""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import axe_core_python
import pytest
import yaml
from filelock import FileLock
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from modeldocs import environments

REPOSITORY = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

AXE = Path(axe_core_python.__file__).parent / "axe.min.js"
"""The script that finds what a page keeps from people who see or move otherwise."""

SHOWN = {
    "alexnet": ("pytorch", "caffe"),
    "bert-base": ("pytorch",),
    "cifar10-quick": (),
    "inception-bn": ("mxnet",),
    "lenet": ("pytorch", "mxnet", "onnx", "chainer", "torch7", "caffe"),
    "mlp-4-hidden": None,
    "resnet50": ("caffe", "pytorch"),
    "simple-cnn": ("keras", "tensorflow"),
    "ssd300-vgg16": ("caffe",),
}
"""The models that tests look at, with those ports or all: every framework is among them."""

PROVEN = ("lenet/caffe", "lenet/onnx")

RUN = {"lenet": ("pytorch", "caffe"), "resnet50": ("caffe", "pytorch")}
"""Ports of them that are run with the same weights: every pair would take minutes."""

OpenTab = Callable[..., Page]
"""What the fixture `open_tab` gives."""

HOSTILE = "</script><img src=x onerror=alert(1)>"


def run_build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`modeldocs build` in a folder, as a user runs it."""
    return run_command("build", folder, *options)


def run_command(name: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, as a user runs it."""
    command = [sys.executable, "-m", "modeldocs", name, *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


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
    for process in (
        run_command("verify", REPOSITORY, *PROVEN, "--strict", *whole),
        run_build(REPOSITORY, "--folder", "--out", str(few / "pages"), "--strict", *part),
        run_build(REPOSITORY, "--no-parity", "--out", str(site), "--strict", *whole),
    ):
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
        process = run_build(folder)
        (folder / "printed.txt").write_text(process.stdout + process.stderr)
        (folder / "code.txt").write_text(str(process.returncode))

    folder = _once(shared_folder / "bad", make)
    return (
        folder / "site",
        (folder / "printed.txt").read_text(),
        int((folder / "code.txt").read_text()),
    )


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Path], str]]:
    """`serve(folder)`: a plain file server on the loopback interface; its address."""
    servers: list[http.server.ThreadingHTTPServer] = []

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    @functools.cache
    def start(folder: Path) -> str:
        handler = functools.partial(Quiet, directory=str(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def address(own_site: Path, serve: Callable[[Path], str]) -> str:
    return serve(own_site)


@pytest.fixture(scope="session")
def contexts(browser: Browser) -> Callable[..., BrowserContext]:
    """`contexts(**options)`: the browser's context of those options, one a session."""
    made: dict[str, BrowserContext] = {}

    def context(**options: Any) -> BrowserContext:
        key = repr(sorted(options.items()))
        if key not in made:
            made[key] = browser.new_context(**options)
        return made[key]

    return context


@pytest.fixture
def new_tab(contexts: Callable[..., BrowserContext]) -> Iterator[Page]:
    """A tab of its own, for a test that listens to it."""
    tab = contexts().new_page()
    yield tab
    tab.close()


@pytest.fixture(scope="session")
def kept_tabs(contexts: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """`kept_tabs(**options)`: the tab of those options: a new one costs more than most pages."""
    made: dict[BrowserContext, Page] = {}

    def tab(**options: Any) -> Page:
        context = contexts(**options)
        if context not in made:
            made[context] = context.new_page()
        return made[context]

    return tab


@pytest.fixture
def open_tab(kept_tabs: Callable[..., Page]) -> Iterator[OpenTab]:
    """`open_tab(**options)`: a tab with those options, as if it were new."""
    used: list[tuple[Page, dict[str, Any]]] = []

    def open_one(**options: Any) -> Page:
        used.append((kept_tabs(**options), options))
        return used[-1][0]

    yield open_one
    for tab, options in used:
        _forget(tab, options.get("viewport", {"width": 1280, "height": 720}))


def _forget(tab: Page, viewport: ViewportSize) -> None:
    """Undo what a test did to a tab."""
    if not tab.url.startswith("about:"):
        tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    tab.context.clear_permissions()
    tab.emulate_media(media="null")
    tab.set_viewport_size(viewport)
    tab.goto("about:blank")


@pytest.fixture
def page(open_tab: OpenTab, address: str) -> Page:
    return open_tab(base_url=address, viewport={"width": 1500, "height": 1000})
