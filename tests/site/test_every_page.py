"""Every page of our own site: what it asks for, what it says, and how wide it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

WIDTHS = (1500, 800, 360)
SPARE = """width => new Promise(done => {
  const frame = () => requestAnimationFrame(() => innerWidth === width
    ? requestAnimationFrame(() => done(width - document.documentElement.scrollWidth)) : frame());
  frame();
})"""
"""Pixels that a page leaves of the window, once it is laid out for another width."""


class Watch:
    """Hears what a page should not do: console errors, and requests to anything but our server."""

    def __init__(self, tab: Page, address: str) -> None:
        self.heard: list[str] = []
        tab.on("console", lambda m: m.type in ("error", "warning") and self.heard.append(m.text))
        tab.on("pageerror", lambda error: self.heard.append(str(error)))
        tab.on(
            "request",
            lambda r: (
                not r.url.startswith((address, "data:", "blob:")) and self.heard.append(r.url)
            ),
        )
        tab.on("response", lambda r: r.status >= 400 and self.heard.append(f"{r.status} {r.url}"))


@dataclass
class Visit:
    """What was seen of a page: its heading, what it should not do, and pixels that it left."""

    heading: str
    heard: list[str]
    spare: dict[int, int]


@pytest.fixture(scope="module")
def visits(
    contexts: Callable[..., BrowserContext], own_site: Path, address: str
) -> dict[str, Visit]:
    """Each page of the site, opened once."""
    tab = contexts(base_url=address, reduced_motion="reduce").new_page()
    watch = Watch(tab, address)
    seen = {}
    widths = WIDTHS
    for path in every_page(own_site):
        watch.heard, spare = [], {}
        for width in widths:
            tab.set_viewport_size({"width": width, "height": 1000})
            if not spare:
                tab.goto(f"/{path}", wait_until="load")
            spare[width] = tab.evaluate(SPARE, width)
        seen[path] = Visit(tab.locator("article h1").inner_text(), watch.heard, spare)
        widths = widths[::-1]  # the next page begins at the width that the window has
    tab.close()
    return seen


def every_page(site: Path) -> list[str]:
    return sorted(str(f.relative_to(site)) for f in site.rglob("*.html") if f.name != "404.html")


def test_pages_open_without_an_error_or_a_request_off_the_machine(visits: dict[str, Visit]) -> None:
    assert {path: visit.heard for path, visit in visits.items() if visit.heard} == {}


def test_pages_have_a_heading(visits: dict[str, Visit]) -> None:
    assert [path for path, visit in visits.items() if not visit.heading] == []


def test_no_page_is_wider_than_the_window(visits: dict[str, Visit]) -> None:
    assert {
        path: visit.spare for path, visit in visits.items() if min(visit.spare.values()) < 0
    } == {}


def test_the_main_content_is_there_without_javascript(
    contexts: Callable[..., BrowserContext], own_site: Path, address: str
) -> None:
    tab = contexts(java_script_enabled=False).new_page()
    for path in every_page(own_site):
        tab.goto(f"{address}/{path}")
        article = tab.locator("article")
        assert article.is_visible(), path
        if "/ports/" in path:
            assert tab.locator(".mr-layers tbody tr").count() >= 8, path
            assert tab.locator(".mr-overview svg.mr-diagram").is_visible(), path
        if "/diffs/" in path:
            assert tab.locator(".mr-alignment tbody tr").count() >= 8, path
            assert tab.locator(".mr-verdict-headline").is_visible(), path
    tab.close()
