"""Prints how long a page takes from saving a file to its reload under `modeldocs serve`.

Arguments are the numbers of ports of generated catalogs, each built before it is served. The table
is written into site_src/guide/large-catalogs.md.
"""

from __future__ import annotations

import json
import math
import random
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psutil
from rich.console import Console
from rich.table import Table

from evaluation import guide
from evaluation.scale import generated

REPOSITORY = Path(__file__).parents[2]
RECORD = REPOSITORY / "models" / "alexnet-owt" / "benchmarks"
SIZES = (100, 1000)
EDITS = 20
SECONDS = 600.0
"""Seconds after which a server that is silent counts as failed."""

CONFIG = """\
site_name: scale
theme: {name: material, font: false}
plugins: [search, modeldocs]
markdown_extensions: [admonition, attr_list, md_in_html, tables]
"""
HEADS = ("ports", "share", "median s", "p95 s", "largest s")

_OWN = re.compile(r"modeldocs: (\d+\.\d+) s of its own")


class Reload(NamedTuple):
    """Seconds of an edit: of modeldocs, of the rest of MkDocs' build, and until MkDocs sees it.

    `cpu` are those that the process of the server took of a core, which others do not change.
    """

    own: float
    mkdocs: float
    noticing: float
    cpu: float

    @property
    def whole(self) -> float:
        """Seconds from saving to the reload."""
        return self.own + self.mkdocs + self.noticing


def main(sizes: list[int]) -> None:
    """Serve catalogs of these sizes, edit them, and write the table."""
    rows = [row for ports in sizes for row in _rows(ports, _measured(ports))]
    table = Table()
    for head in HEADS:
        table.add_column(head, justify="left" if head == "share" else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=100).print(table)
    lines = [guide.circumstances("bench-serve", "mkdocs", "mkdocs-material")]
    lines += ["", *guide.table(HEADS, rows)]
    guide.write(guide.GUIDE / "large-catalogs.md", "bench-serve", lines)


def _rows(ports: int, reloads: list[Reload]) -> Iterator[list[str]]:
    shares: dict[str, Callable[[Reload], float]] = {
        "modeldocs itself": lambda one: one.own,
        "the rest of MkDocs' build": lambda one: one.mkdocs,
        "until MkDocs notices": lambda one: one.noticing,
        "from saving to the reload": lambda one: one.whole,
        "CPU of the server": lambda one: one.cpu,
    }
    for name, share in shares.items():
        times = sorted(map(share, reloads))
        p95 = times[math.ceil(0.95 * len(times)) - 1]
        figures = (statistics.median(times), p95, times[-1])
        yield [f"{ports:,}", name, *(f"{figure:.2f}" for figure in figures)]


def _measured(ports: int) -> list[Reload]:
    with TemporaryDirectory() as place:
        folder = Path(place)
        generated.write(folder / "models", ports)
        (folder / "docs").mkdir()
        (folder / "docs" / "about.md").write_text("# About\n")
        (folder / "mkdocs.yml").write_text(CONFIG)
        with Server.started(folder) as server:
            draw = random.Random(0)
            return [server.reload(_edit(folder, draw, number, ports)) for number in range(EDITS)]


def _edit(folder: Path, draw: random.Random, number: int, ports: int) -> Callable[[], object]:
    """One of four edits in turn, in a model drawn at random: what saves it."""
    model = folder / "models" / f"net{draw.randrange(ports // generated.PORTS):04}"
    port = model / "second.prototxt"
    width = f"num_output: {11 + number} "
    changed = re.sub(r"num_output: \d+ (?=\} \}\n.*prob)", width, port.read_text())
    if number % 4 == 0:
        return lambda: port.write_text(changed)
    if number % 4 == 1:
        return lambda: (model / "model.yml").write_text(f"summary: Edit {number}.\n")
    if number % 4 == 2:
        file = min(RECORD.glob("*.json"))
        record, name = json.loads(file.read_text()), file.name
        record["model"] |= {"id": model.name, "port": None}
        (model / "benchmarks").mkdir(exist_ok=True)
        return lambda: (model / "benchmarks" / name).write_text(json.dumps(record))
    return lambda: (model / "another.prototxt").write_text(changed)


class Server:
    """`modeldocs serve` in a process, with what it says in a file."""

    def __init__(self, address: str, said: Path, process: subprocess.Popen[bytes]) -> None:
        self.address, self.said, self.process = address, said, process

    @classmethod
    @contextmanager
    def started(cls, folder: Path) -> Iterator[Server]:
        """A server of the project in a folder, when its first build has ended."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        command = [sys.executable, "-m", "modeldocs", "serve", "--address", address]
        said = folder / "said.txt"
        with said.open("wb") as output:
            process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
        try:
            server = cls(address, said, process)
            server.wait_for("Serving on", 1)
            server.settle()
            yield server
        finally:
            process.terminate()
            process.wait()

    def text(self) -> str:
        """What it has said."""
        return self.said.read_text(errors="replace")

    def cpu(self) -> float:
        """CPU seconds of its process."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    def wait_for(self, words: str, times: int) -> None:
        """Wait until it has said something so often."""
        last, heard = time.monotonic(), ""
        while (text := self.text()).count(words) < times:
            if text != heard:
                last, heard = time.monotonic(), text
            if self.process.poll() is not None or time.monotonic() - last > SECONDS:
                raise SystemExit(text)
            time.sleep(0.05)

    def settle(self) -> None:
        """Wait until runs of pairs have ended, and the build that shows them."""
        time.sleep(0.5)
        text = self.text()
        begun = text.count("the site is served meanwhile")
        if begun > text.count("modeldocs: they were run"):
            reloads = text.count("Reloading browsers")
            self.wait_for("modeldocs: they were run", begun)
            self.wait_for("Reloading browsers", reloads + 1)

    def reload(self, save: Callable[[], object]) -> Reload:
        """The time from a change to the reload of the page that a browser shows."""
        before, cpu = len(self.text()), self.cpu()
        start = time.monotonic()
        save()
        begun, place = self._said("Building documentation", before)
        ended, _ = self._said("Reloading browsers", place)
        cpu = self.cpu() - cpu
        own = float(_OWN.findall(self.text()[place:])[0])
        self.settle()
        return Reload(own=own, mkdocs=ended - begun - own, noticing=begun - start, cpu=cpu)

    def _said(self, words: str, place: int) -> tuple[float, int]:
        """When the server says something that comes after a place of its output, and the place."""
        start = time.monotonic()
        while words not in (text := self.text())[place:]:
            if self.process.poll() is not None or time.monotonic() - start > SECONDS:
                raise SystemExit(text)
            time.sleep(0.01)
        return time.monotonic(), text.index(words, place)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or list(SIZES))
