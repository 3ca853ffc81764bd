"""Every page of our own site: what it asks for, what it says, how wide and how long it is."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from lxml.html import HtmlElement, document_fromstring
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

BELOW = """() => {
  const foot = document.querySelector(".md-footer").getBoundingClientRect().bottom + scrollY;
  return Math.round(document.documentElement.scrollHeight - Math.max(innerHeight, foot));
}"""
"""Pixels of a page below its foot."""

BROKEN = r"""() => {
  const number = /(?<![\w.])\d+(?:[.,:]\d+)*(?:e[-+]?\d+)?(?:-\d+)*|\w+-\d\w*/g;
  const all = document.querySelector(".md-container");
  const texts = document.createTreeWalker(all, NodeFilter.SHOW_TEXT);
  const range = document.createRange(), broken = [];
  const lines = (text, start, end) => {
    range.setStart(text, start);
    range.setEnd(text, end);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 0.5);
    return new Set(boxes.map((box) => Math.round(box.top / 4))).size;
  };
  while (texts.nextNode()) {
    const text = texts.currentNode, place = text.parentElement;
    if (!/\d\S/.test(text.data) || place.closest("pre, code, script, style, svg")) continue;
    if (!place.checkVisibility()) continue;
    for (const { 0: found, index } of text.data.matchAll(number)) {
      if (lines(text, index, index + found.length) > 1) broken.push(found);
    }
  }
  return broken;
}"""
"""The numbers of a page, and names that end in one, that do not stand on one line."""

UNSAID = r"""() => {
  const all = document.querySelector("article");
  const texts = document.createTreeWalker(all, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("pre, code, script, style")) continue;
    if (/\b(None|NaN|nan|undefined|null)\b/.test(text.data)) found.push(text.data.trim());
  }
  return found;
}"""
"""Words of a program in what a reader sees."""


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
    """What was seen of a page: its heading, what it should not do, and by the window's width the
    pixels that it left, those below its foot, and numbers on two lines.
    """

    heading: str
    heard: list[str]
    unsaid: list[str]
    spare: dict[int, int]
    below: dict[int, int]
    broken: dict[int, list[str]]


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
        watch.heard, spare, below, broken = [], {}, {}, {}
        for width in widths:
            tab.set_viewport_size({"width": width, "height": 1000})
            if not spare:
                tab.goto(f"/{path}", wait_until="load")
            spare[width] = tab.evaluate(SPARE, width)
            below[width], broken[width] = tab.evaluate(BELOW), tab.evaluate(BROKEN)
        heading, unsaid = tab.locator("article h1").inner_text(), tab.evaluate(UNSAID)
        seen[path] = Visit(heading, watch.heard, unsaid, spare, below, broken)
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


def test_every_page_ends_at_its_foot(visits: dict[str, Visit]) -> None:
    assert {
        path: visit.below for path, visit in visits.items() if max(visit.below.values()) > 1
    } == {}


def test_no_number_is_broken_over_two_lines(visits: dict[str, Visit]) -> None:
    assert {
        path: visit.broken for path, visit in visits.items() if any(visit.broken.values())
    } == {}


def test_no_word_of_a_program_is_shown_in_place_of_what_is_unknown(
    visits: dict[str, Visit],
) -> None:
    assert {path: visit.unsaid for path, visit in visits.items() if visit.unsaid} == {}


def test_every_link_leads_to_a_place_that_is_there(
    contexts: Callable[..., BrowserContext], own_site: Path, address: str
) -> None:
    """Rows and lines that a script adds to a page are looked for in the browser, one of a kind."""
    links = {link for path in every_page(own_site) for link in links_of(own_site, path)}
    places = {path: places_of(own_site, path) for path in every_page(own_site)}
    late = {}
    for path, place in sorted(links):
        assert path in places, path
        if place and place not in places[path]:
            late[path, re.sub(r"\d+", "", place)] = place
    tab = contexts(base_url=address).new_page()
    for (path, _), place in late.items():
        tab.goto(f"/{path}#{place}")
        tab.wait_for_selector(f"[id='{place}']", state="attached", timeout=5_000)
    tab.close()


def links_of(site: Path, path: str) -> Iterator[tuple[str, str]]:
    """Page and place that each link of a page to another page, or within it, leads to."""
    for href in re.findall(r'\bhref="([^"]*)"', (site / path).read_text("utf-8")):
        target = urlsplit(urljoin(f"http://site/{path}", html.unescape(href)))
        page = unquote(target.path).lstrip("/")
        page += "index.html" if page.endswith("/") or not page else ""
        if target.netloc == "site" and page.endswith(".html"):
            yield page, unquote(target.fragment)


def places_of(site: Path, path: str) -> set[str]:
    """The ids of a page's elements."""
    found = re.findall(r'\bid="([^"]*)"', (site / path).read_text("utf-8"))
    return {html.unescape(one) for one in found}


def test_the_main_content_is_in_the_file_of_every_page(own_site: Path) -> None:
    for path in every_page(own_site):
        page = document_fromstring((own_site / path).read_bytes())
        assert page.xpath("//article//h1"), path
        if "/ports/" in path:
            assert rows_in(page, "mr-layers") >= 8, path
            assert any("mr-diagram" in one.get("class", "") for one in page.iter("svg")), path
        if "/diffs/" in path:
            assert rows_in(page, "mr-alignment") >= 8, path
            assert page.find_class("mr-verdict-headline"), path


def rows_in(page: HtmlElement, name: str) -> int:
    """The rows of the tables in a page's elements of a class."""
    return sum(len(place.findall(".//tbody/tr")) for place in page.find_class(name))


def test_it_is_seen_without_javascript_on_a_page_of_each_kind(
    contexts: Callable[..., BrowserContext], own_site: Path, address: str
) -> None:
    tab = contexts(java_script_enabled=False).new_page()
    kinds = {kind_of(path): path for path in every_page(own_site)}
    assert {"index.html", "guide/*/index.html", "models/*/ports/*/index.html"} <= kinds.keys()
    for path in kinds.values():
        tab.goto(f"{address}/{path}")
        assert tab.locator("article").is_visible(), path
        if "/ports/" in path:
            assert tab.locator(".mr-layers tbody tr").count() >= 8, path
            assert tab.locator(".mr-overview svg.mr-diagram").is_visible(), path
        if "/diffs/" in path:
            assert tab.locator(".mr-alignment tbody tr").count() >= 8, path
            assert tab.locator(".mr-verdict-headline").is_visible(), path
    tab.close()


def kind_of(path: str) -> str:
    """What paths of pages of one template have in common: `models/*/ports/*/index.html`."""
    return re.sub(r"\b(models|ports|diffs|programs|guide)/[^/]+/", r"\1/*/", path)
