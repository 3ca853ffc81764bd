"""The figures that a built site shows, by the thing that they are of: a port, a pair, a run.

`python -m tests.site.figures SITE` prints those that read differently in two places.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any, Final, NamedTuple

from lxml import html

THINGS: Final = (
    re.compile(r"models/[^/]+/benchmarks/index\.html#[0-9].*"),
    re.compile(r"models/[^/]+/diffs/[^/]+/index\.html"),
    re.compile(r"models/[^/]+/ports/[^/]+/index\.html"),
)
"""Addresses of things: of those that a row links to, it is about the first kind."""

OF_THINGS: Final = {
    "layers",
    "parameters",
    "running statistics",
    "macs",
    "error",
    "error as loaded",
    "error in normal form",
    "error of a layer alone",
    "layers compared",
    "samples/s",
    "step",
    "date",
    "grade",
    "batch",
}
"""Headings of columns and names of facts that are figures of a thing."""

_UNITS: Final = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ms": 1.0, "µs": 1e-3, "s": 1e3}
_ROUNDED: Final = 0.006
"""A share by which two figures may differ that are rounded to three digits."""


class Figure(NamedTuple):
    """A figure of a thing as a page shows it."""

    thing: str
    name: str
    text: str
    page: str


class Contradiction(NamedTuple):
    """A figure that two pages show differently."""

    thing: str
    name: str
    first: Figure
    second: Figure


def contradictions(site: Path) -> list[Contradiction]:
    """The figures of a site that are not the same wherever they are shown."""
    found: dict[tuple[str, str], list[Figure]] = defaultdict(list)
    for figure in figures(site):
        found[figure.thing, figure.name].append(figure)
    return [
        Contradiction(thing, name, some[0], other)
        for (thing, name), some in sorted(found.items())
        for other in some[1:]
        if not agree(some[0].text, other.text)
    ]


def figures(site: Path) -> Iterator[Figure]:
    """All figures of a site's pages, and of its list of models."""
    for file in sorted(site.rglob("*.html")):
        page = file.relative_to(site).as_posix()
        if (
            page.startswith(("models/", "benchmarks/", "proofs/", "compare/"))
            or page == "index.html"
        ):
            yield from _of_page(page, html.fromstring(file.read_text("utf-8")))
    yield from _of_listing(json.loads((site / "catalog.json").read_text("utf-8")))


def agree(ours: str, theirs: str) -> bool:
    """Whether two texts are one figure: equal, or equal numbers but for rounding."""
    a, b = number(ours), number(theirs)
    if a is None or b is None:
        return ours == theirs
    return abs(a - b) <= _ROUNDED * max(abs(a), abs(b))


def number(text: str) -> float | None:
    """The number in `25.6 M`, `8,039/s`, `127.4 ms` or `1e-6`; None where there is none."""
    match = re.fullmatch(r"([\d.,]+(?:e-?\d+)?)\s*([a-zµ]*)(?:/s)?", text.strip(), re.IGNORECASE)
    if match is None or match.group(2).lower() not in _UNITS:
        return None
    return float(match.group(1).replace(",", "")) * _UNITS[match.group(2).lower()]


def _of_page(page: str, root: Any) -> Iterator[Figure]:
    yield from _verdicts(page, root)
    yield from _rates(page, root)
    for table in root.xpath("//table"):
        yield from _of_table(page, table)
    if THINGS[2].fullmatch(page):
        for fact in root.xpath("//dl[contains(@class, 'mr-facts')]/div"):
            name, value = fact.xpath("dt")[0], fact.xpath("dd")[0]
            if _text(name).lower() in OF_THINGS:
                yield Figure(page, _text(name).lower(), _value(value), page)
    if THINGS[1].fullmatch(page):
        yield from _of_totals(page, root)


def _verdicts(page: str, root: Any) -> Iterator[Figure]:
    """The step of each pair, from whatever has its colour and leads to it; from its own page."""
    for element in root.xpath("//*[contains(@class, 'mr-verdict-')]"):
        step = re.search(r"mr-verdict-([a-z-]+)", element.get("class") or "")
        links = [element, *element.xpath("a"), *element.xpath("ancestor::tr[1]//a")]
        pairs = [one for one in _things(page, links) if THINGS[1].fullmatch(one)]
        own = THINGS[1].fullmatch(page) and "mr-verdict" in (element.get("class") or "").split()
        thing = page if own else next(iter(pairs), "")
        known = step and step.group(1) not in ("headline", "counts")
        if thing and known and (own or element.tag in ("a", "td", "span")):
            yield Figure(thing, "verdict", step.group(1), page)


def _rates(page: str, root: Any) -> Iterator[Figure]:
    """Rates that lead to the run that they are of."""
    for link in root.xpath("//a[contains(@href, 'benchmarks/index.html#')]"):
        thing = next(iter(_things(page, [link])), "")
        if THINGS[0].fullmatch(thing) and re.fullmatch(r"[\d.,]+(/s)?", _text(link)):
            yield Figure(thing, "samples/s", _text(link), page)


def _of_table(page: str, table: Any) -> Iterator[Figure]:
    headings = [_text(cell).lower() for cell in table.xpath("thead/tr[last()]/*")]
    for row in table.xpath("tbody/tr"):
        cells = row.xpath("th|td")
        if len(cells) != len(headings) or any(cell.get("colspan") for cell in cells):
            continue
        thing = _of_row(page, row)
        for heading, cell in zip(headings, cells, strict=True):
            if thing and heading in OF_THINGS and _text(cell):
                yield Figure(thing, heading, _value(cell), page)


def _of_row(page: str, row: Any) -> str:
    """What a row is about: the run whose anchor it is, or what its first cell leads to that leads
    to a thing; nothing where that cell lists several.
    """
    if (identity := row.get("id") or "")[:1].isdigit():
        return f"{page}#{identity}"
    for cell in row.xpath("th|td"):
        found = {one for one in _things(page, cell.xpath(".//a")) if one.partition("#")[0] != page}
        found = {one for one in found if any(kind.fullmatch(one) for kind in THINGS)}
        if found:
            return found.pop() if len(found) == 1 else ""
    return ""


def _of_totals(page: str, root: Any) -> Iterator[Figure]:
    """The totals of both ports on the page of a pair."""
    model = page.split("/diffs/")[0]
    table = root.xpath("//div[@aria-label='Totals']/table")[0]
    headings = [_text(cell).lower() for cell in table.xpath("thead/tr/*")]
    for row in table.xpath("tbody/tr"):
        port = _text(row.xpath("th")[0]).partition(" · ")[2]
        for heading, cell in zip(headings[1:], row.xpath("td"), strict=True):
            yield Figure(f"{model}/ports/{port}/index.html", heading, _value(cell), page)


def _of_listing(listing: dict[str, Any]) -> Iterator[Figure]:
    for model in listing["models"]:
        for port in model["ports"]:
            for name in ("layers", "parameters", "macs"):
                if port[name] is not None:
                    yield Figure(port["page"], name, str(port[name]), "catalog.json")
        for pair in model["pairs"]:
            yield Figure(pair["page"], "verdict", pair["step"], "catalog.json")


def _things(page: str, links: Iterable[Any]) -> list[str]:
    addresses = [link.get("href") for link in links if link.get("href")]
    here = [one for one in addresses if "://" not in one]
    whole = [
        f"{page}{one}" if one.startswith("#") else normpath(join(dirname(page), one))
        for one in here
    ]
    return [one if THINGS[0].fullmatch(one) else one.partition("#")[0] for one in whole]


def _text(element: Any) -> str:
    return " ".join(element.text_content().split())


def _value(element: Any) -> str:
    """The figure in a cell, with all its digits where the cell's title has them."""
    title = (element.get("title") or "").strip()
    return title if re.fullmatch(r"[\d,]+", title) else _text(element)


if __name__ == "__main__":
    for one in contradictions(Path(sys.argv[1])):
        print(f"{one.thing} {one.name}: {one.first[2:]} {one.second[2:]}")  # noqa: T201
