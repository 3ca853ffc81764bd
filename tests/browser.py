"""Chromium as the tests use it: one browser a process, tabs that are kept, and a file server."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Playwright,
    ViewportSize,
    sync_playwright,
)

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))),
    None,
)
"""The system's Chromium; that without windows does the same with three quarters of the time."""

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
"""The script that finds what a page keeps from people who see or move otherwise."""

OpenTab = Callable[..., Page]
"""What the fixture `open_tab` gives."""


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


def launch(playwright: Playwright) -> Browser:
    """The system's Chromium, headless."""
    return playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; a process can drive one."""
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")
    with sync_playwright() as playwright:
        launched = launch(playwright)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def contexts(browser: Browser) -> Callable[..., BrowserContext]:
    """`contexts(**options)`: the browser's context of those options, one a session.

    Its reader wants no motion, of which each frame is drawn.
    """
    made: dict[str, BrowserContext] = {}

    def context(**options: Any) -> BrowserContext:
        options = {"reduced_motion": "reduce", **options}
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
