"""Colours of diagrams by a figure of each node, and a drawing that is coloured by them."""

from __future__ import annotations

import functools
import re
import xml.etree.ElementTree as ET
from bisect import bisect_right
from collections.abc import Mapping
from posixpath import basename
from typing import Final

from modeldocs import package_data
from modeldocs.struct import Struct

SHARES: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
"""Shares of the network from which a node has the next colour."""

UNKNOWN: Final = "unknown"
"""The colour of a node whose figure is not known."""

_RULE = re.compile(r"\.mr-heat-(\w+) \{ --mr-heat: (#\w{6}); --mr-ink: (#\w{6}); \}")
SVG: Final = "http://www.w3.org/2000/svg"
XLINK: Final = "http://www.w3.org/1999/xlink"
HREF: Final = f"{{{XLINK}}}href"
_ELSEWHERE = "#ffffff"
"""Fill of nodes that only say what is around the drawing."""


class Colour(Struct, frozen=True):
    """The colours of a node and of its text, as `#rrggbb`."""

    fill: str
    ink: str


@functools.cache
def colours() -> dict[str, Colour]:
    """The colours by the number of the share that they begin at, as pages have them."""
    found = _RULE.findall(package_data.style())
    return {name: Colour(fill=fill, ink=ink) for name, fill, ink in found}


def colour(share: float | None) -> Colour:
    """The colour of a share of the network, 0 to 1; None is not known."""
    name = UNKNOWN if share is None else str(bisect_right(SHARES, share))
    return colours()[name]


def paint(root: ET.Element, shares: Mapping[str, float | None]) -> None:
    """Colour the nodes of a drawing by their shares of the network.

    `shares` has those of layers by id, and of groups by `level=` and id.
    """
    for link in root.iter(f"{{{SVG}}}a"):
        polygons = link.findall(f"{{{SVG}}}polygon")
        key = _key(link.get(HREF, ""))
        if key not in shares or not polygons or polygons[0].get("fill") == _ELSEWHERE:
            continue
        chosen = colour(shares[key])
        for polygon in polygons:
            if polygon.get("fill") != "none":
                polygon.set("fill", chosen.fill)
        for text in (*link.iter(f"{{{SVG}}}text"), *link.iter(f"{{{SVG}}}tspan")):
            text.set("fill", chosen.ink)


def _key(href: str) -> str:
    """The layer or group that a link of a drawing leads to."""
    path, _, layer = href.partition("#")
    return layer or f"level={basename(path).removesuffix('.svg')}"
