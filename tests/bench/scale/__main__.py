"""Prints the time, memory and size of builds of large catalogs; `PORTS` are their sizes."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench.scale import generated

REPOSITORY = Path(__file__).parents[3]
SIZES = (10, 100, 1000)
KINDS = ("load", "diff", "draw", "parity")
_COLUMNS = ("ports", "build", "wall s", "CPU s", "CPU ms a port", "peak MiB")


def main(sizes: list[int]) -> None:
    """Build each catalog: cold, unchanged, and with one port changed."""
    times, shares, sizes_table = (
        _table("Builds", *_COLUMNS),
        _table("Where CPU s of a build go", "ports", "build", *KINDS, "our pages", "MkDocs"),
        _table(
            "Sizes", "ports", "pages", "site MB", "store MB", "HTML of a port KB", "largest KB",
            "search index KB by gzip",
        ),
    )  # fmt: skip
    for ports in sizes:
        with TemporaryDirectory() as place:
            folder = Path(place)
            generated.write(folder / "models", ports)
            for name, found in _builds(folder):
                _add(times, shares, ports, name, found)
            sizes_table.add_row(f"{ports:,}", *_sizes(folder))
        console = Console(width=120)
        for table in (times, shares, sizes_table):
            console.print(table)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title)
    for column in columns:
        table.add_column(column, justify="left" if column == "build" else "right")
    return table


def _builds(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "cold", _build(folder)
    yield "unchanged", _build(folder)
    port = folder / "models" / "net0001" / "first.prototxt"
    port.write_text(port.read_text().replace("num_output: 10", "num_output: 11"))
    yield "one port changed", _build(folder)


def _build(folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.scale.build", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if found["failures"]:
        raise SystemExit(f"{found['failures']} failures")
    return found


def _add(times: Table, shares: Table, ports: int, name: str, found: dict[str, Any]) -> None:
    figures = (
        f"{found['seconds']:.1f}",
        f"{found['cpu']:.1f}",
        f"{found['cpu'] * 1000 / ports:.0f}",
        f"{found['MiB']:,}",
    )
    times.add_row(f"{ports:,}", name, *figures)
    phases = found["phases"]
    own = phases.get("tasks cpu", 0.0) + phases.get("pages cpu", 0.0)
    shares.add_row(
        f"{ports:,}",
        name,
        *(f"{found['kinds'].get(kind, 0.0):.1f}" for kind in KINDS),
        f"{phases.get('pages cpu', 0.0):.1f}",
        f"{found['cpu'] - own:.1f}",
    )


def _sizes(folder: Path) -> Iterator[str]:
    site, store = folder / "site", folder / ".modeldocs"
    ports = [file.stat().st_size for file in site.glob("models/*/ports/*/index.html")]
    index = site / "search" / "search_index.json"
    yield f"{sum(1 for _ in site.rglob('*.html')):,}"
    yield f"{_bytes(site) / 1e6:.1f}"
    yield f"{_bytes(store) / 1e6:.1f}"
    yield f"{sum(ports) / len(ports) / 1e3:.0f}"
    yield f"{max(ports) / 1e3:.0f}"
    yield f"{len(gzip.compress(index.read_bytes())) / 1e3:.0f}"


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or list(SIZES))
