"""`make bench-all-layers`: the page of all layers with 1,000 ports of 140 layers, in Chromium.

The rows are those of a built site, given to as many ports, each with other figures.
"""

from __future__ import annotations

import csv
import itertools
import shutil
import statistics
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from playwright.sync_api import Browser
from rich.console import Console
from rich.table import Table

from modeldocs.site.layers import files
from modeldocs.site.layers.columns import CatalogLayer

from .pages import chromium, served

PORTS, LAYERS, REPEATS = 1000, 140, 5
QUERIES = ("dilation > 1", "kernel = 3x3", "operator = Conv group > 1", "share > 10%", "attention")

_PAINTED = "() => document.querySelectorAll('.mr-all-layers tbody tr').length > 10"
_FILTER = """(text) => new Promise((done) => {
  const form = document.querySelector('.mr-catalog-layers form');
  const body = document.querySelector('.mr-all-layers tbody');
  const started = performance.now();
  new MutationObserver((_, watch) => {
    watch.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - started)));
  }).observe(body, { childList: true });
  form.elements.text.value = text;
  form.elements.text.dispatchEvent(new Event('input', { bubbles: true }));
})"""


def rows(site: Path) -> Iterator[CatalogLayer]:
    """The layers of a site, given to many ports."""
    with (site / "layers" / "layers.csv").open(newline="") as file:
        known = [_row(one) for one in csv.DictReader(file)]
    endless = itertools.cycle(known)
    for port in range(PORTS):
        for one in itertools.islice(endless, LAYERS):
            macs = None if one.macs is None else one.macs * (port % 17 + 1)
            yield msgspec.structs.replace(
                one, model=f"{one.model}-{port // 4}", port=f"{one.port}-{port % 4}", macs=macs
            )


def _row(values: dict[str, str]) -> CatalogLayer:
    texts = {name for name, kind in CatalogLayer.__annotations__.items() if kind == "str"}
    given = [value if name in texts else value or None for name, value in values.items()]
    return msgspec.convert(given, CatalogLayer, strict=False)


def main() -> None:
    """Measure the first paint and filters, and print them."""
    site = Path(sys.argv[1] if len(sys.argv) > 1 else "site")
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        large = Path(folder, "site")
        shutil.copytree(site, large, ignore=shutil.ignore_patterns("models"))
        packed = zlib.compress(msgspec.msgpack.encode(list(rows(site))))
        for page in files.pages((packed,)):
            (large / page.path).write_bytes(page.content)
        size = (large / "layers" / "layers.js").stat().st_size
        with served(large) as address, chromium() as browser:
            paints, filters = _measured(browser, f"{address}/layers/index.html")
    table = Table(title=f"{PORTS:,} ports of {LAYERS} layers, {size / 1e6:.1f} MB")
    for heading in ("what", "median ms", "largest ms"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for what, times in {"first rows painted": paints, **filters}.items():
        table.add_row(what, f"{statistics.median(times):.0f}", f"{max(times):.0f}")
    Console().print(table)


def _measured(browser: Browser, address: str) -> tuple[list[float], dict[str, list[float]]]:
    paints: list[float] = []
    for _ in range(REPEATS):
        page = browser.new_page()
        page.goto(address, wait_until="commit")
        page.wait_for_function(_PAINTED, polling="raf")
        paints.append(page.evaluate("performance.now()"))
        page.close()
    page = browser.new_page()
    page.goto(address)
    page.wait_for_function(_PAINTED)
    filters = {
        f"filter “{query}”": [page.evaluate(_FILTER, one) for one in (query, "") * REPEATS][::2]
        for query in QUERIES
    }
    return paints, filters


if __name__ == "__main__":
    main()
