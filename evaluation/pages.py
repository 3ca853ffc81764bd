"""Weight of pages and time until they are seen, in headless Chromium: `make bench-pages`.

Reads the site that `make site` wrote. The first view of a page is its HTML, the style sheet and
script of reports, and whatever these fetch on their own. The theme's files and the search index are
counted apart: they are fetched beside the page, once for all pages.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import statistics
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Response, sync_playwright
from rich.console import Console
from rich.table import Table

from tests.browser import CHROMIUM, launch

SITE = Path("site")
KINDS = {
    "home": "index.html",
    "model": "models/*/index.html",
    "port": "models/*/ports/*/index.html",
    "diff": "models/*/diffs/*/index.html",
}
"""Kinds of pages, and where the site has them."""

HEAVIEST = 60_000
"""Bytes that the first view of a port's page may have, compressed by gzip."""

SHOWN = 12
"""Pages of each kind in the table: the heaviest."""

_THEME = ("/assets/javascripts/", "/assets/stylesheets/", "/assets/images/", "/stylesheets/")

_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


@dataclass
class View:
    """The first view of a page: bytes by gzip by whose they are, milliseconds."""

    path: str
    own: int = 0
    theme: int = 0
    search: int = 0
    painted: float = 0.0
    elements: int = 0
    requests: list[str] = field(default_factory=list)

    def add(self, response: Response, prefix: str) -> None:
        """Count one file that the browser fetched."""
        size = len(gzip.compress(response.body()))
        path = response.url.removeprefix(prefix)
        if path.startswith(_THEME):
            self.theme += size
        elif path.startswith("/search/"):
            self.search += size
        else:
            self.own += size
            self.requests.append(path)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A plain file server of a folder on the loopback interface; its address."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium, headless."""
    if CHROMIUM is None:
        sys.exit("no chromium is installed; tests/install-chromium installs it")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def view(browser: Browser, address: str, path: str) -> View:
    """Open a page with an empty cache, and see what it fetched."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))
    page.goto(f"{address}/{path}", wait_until="load")
    page.wait_for_timeout(100)
    seen = View(path)
    for response in responses:
        if response.ok:
            seen.add(response, address)
    seen.painted = float(page.evaluate(_PAINTED))
    seen.elements = int(page.evaluate("document.getElementsByTagName('*').length"))
    context.close()
    return seen


def main() -> None:
    """Print the heaviest pages of each kind."""
    if not (SITE / "index.html").exists():
        sys.exit(f"{SITE}/ is not there; `make site` builds it")
    console = Console()
    with served(SITE) as address, chromium() as browser:
        for kind, pattern in KINDS.items():
            paths = sorted(path.relative_to(SITE).as_posix() for path in SITE.glob(pattern))
            _print(console, kind, [view(browser, address, path) for path in paths])


def _print(console: Console, kind: str, views: list[View]) -> None:
    table = Table(f"{kind} page", "kB gzip", "theme", "search", "ms to paint", "elements")
    for seen in sorted(views, key=lambda one: -one.own)[:SHOWN]:
        table.add_row(
            seen.path,
            f"{seen.own / 1000:.1f}",
            f"{seen.theme / 1000:.0f}",
            f"{seen.search / 1000:.0f}",
            f"{seen.painted:.0f}",
            f"{seen.elements:,}",
        )
    console.print(table)
    sizes = [one.own / 1000 for one in views]
    light = sum(one.own <= HEAVIEST for one in views)
    console.print(
        f"{light} of {len(views)} {kind} pages have a first view of at most "
        f"{HEAVIEST / 1000:.0f} kB; median {statistics.median(sizes):.1f}, largest "
        f"{max(sizes):.1f} kB; median {statistics.median(one.painted for one in views):.0f} ms "
        "until painted\n"
    )


if __name__ == "__main__":
    main()
