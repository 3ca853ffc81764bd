"""Prints what builds of large catalogs take, and writes it into site_src/guide/large-catalogs.md.

Arguments are the numbers of ports of the catalogs; each is built cold, unchanged, and with one port
changed. Without arguments there is also a catalog of one port with 50,000 layers.
"""

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

from evaluation import guide
from evaluation.scale import generated

REPOSITORY = Path(__file__).parents[2]
SIZES = (10, 100, 1000)
LARGEST = 50_000
"""Layers of the largest port."""
KINDS = ("load", "diff", "draw", "parity")

_TIMES = ("catalog", "build", "wall s", "CPU s", "CPU ms a port", "peak MiB")
_SHARES = (
    *("catalog", "build"),
    *(f"{kind} s" for kind in KINDS),
    *("our pages CPU s", "MkDocs and start CPU s"),
)
_SIZES = (
    *("catalog", "pages", "site MB", "store MB", "HTML of a port KB", "largest KB"),
    "search index KB, by gzip",
)

Rows = list[list[str]]


def main(sizes: list[int], *, largest: bool) -> None:
    """Build catalogs of these sizes, print the tables, and write them into the guide."""
    catalogs = [(f"{ports:,} ports", ports, generated.BLOCKS) for ports in sizes]
    if largest:
        catalogs.append((f"1 port of {LARGEST:,} layers", 1, LARGEST // generated.BLOCK))
    times: Rows = []
    shares: Rows = []
    bytes_of: Rows = []
    for catalog, ports, blocks in catalogs:
        with TemporaryDirectory() as place:
            folder = Path(place)
            generated.write(folder / "models", ports, blocks=blocks)
            for name, found in _builds(folder):
                times.append([catalog, name, *_times(found, ports)])
                shares.append([catalog, name, *_shares(found)])
            bytes_of.append([catalog, *_sizes(folder)])
    tables = ((_TIMES, times), (_SHARES, shares), (_SIZES, bytes_of))
    for heads, rows in tables:
        _print(heads, rows)
    lines = [guide.circumstances("bench-scale", "mkdocs", "mkdocs-material")]
    for heads, rows in tables:
        lines += ["", *guide.table(heads, rows)]
    guide.write(guide.GUIDE / "large-catalogs.md", "bench-scale", lines)


def _print(heads: tuple[str, ...], rows: Rows) -> None:
    table = Table()
    for head in heads:
        table.add_column(head, justify="left" if head in ("catalog", "build") else "right")
    for row in rows:
        table.add_row(*row)
    Console(width=130).print(table)


def _builds(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "cold", _build(folder)
    yield "nothing changed", _build(folder)
    port = folder / "models" / "net0000" / "first.prototxt"
    port.write_text(port.read_text().replace("num_output: 10", "num_output: 11"))
    yield "one port changed", _build(folder)


def _build(folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "evaluation.scale.build", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if found["failures"]:
        raise SystemExit(f"{found['failures']} failures")
    return found


def _times(found: dict[str, Any], ports: int) -> Iterator[str]:
    yield f"{found['seconds']:.1f}"
    yield f"{found['cpu']:.1f}"
    yield f"{found['cpu'] * 1000 / ports:.0f}"
    yield f"{found['MiB']:,}"


def _shares(found: dict[str, Any]) -> Iterator[str]:
    """Seconds of all tasks of a kind, which run on all cores; CPU seconds of what comes after."""
    phases = found["phases"]
    yield from (f"{found['kinds'].get(kind, 0.0):.1f}" for kind in KINDS)
    yield f"{phases.get('pages cpu', 0.0):.1f}"
    yield f"{found['cpu'] - phases.get('tasks cpu', 0.0) - phases.get('pages cpu', 0.0):.1f}"


def _sizes(folder: Path) -> Iterator[str]:
    site, store = folder / "site", folder / ".modeldocs"
    ports = [file.stat().st_size for file in site.glob("models/*/ports/*/index.html")]
    index = site / "search" / "search_entries.json"
    yield f"{sum(1 for _ in site.rglob('*.html')):,}"
    yield f"{_bytes(site) / 1e6:.1f}"
    yield f"{_bytes(store) / 1e6:.1f}"
    yield f"{sum(ports) / len(ports) / 1e3:.0f}"
    yield f"{max(ports) / 1e3:.0f}"
    yield f"{len(gzip.compress(index.read_bytes())) / 1e3:.0f}"


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    words = sys.argv[1:]
    main([int(word) for word in words] or list(SIZES), largest=not words)
