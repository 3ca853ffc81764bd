"""A drawing as a picture for other documents: SVG, PNG or PDF."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Final

from modeldocs.diagram import heat
from modeldocs.diagram.heat import HREF, SVG, XLINK

FORMATS: Final = ("svg", "png", "pdf")


def picture(
    svg: str,
    kind: str,
    *,
    shares: Mapping[str, float | None] | None = None,
    background: str | None = "white",
    scale: float = 2.0,
) -> bytes:
    """A drawing in one of `FORMATS`, without links into a site.

    `shares` colour its nodes (see `heat.paint`); `background` is a colour of CSS, None for none.
    A PNG has `scale` pixels for each of the SVG's.
    """
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    root = ET.fromstring(svg)
    if shares is not None:
        heat.paint(root, shares)
    for link in root.iter(f"{{{SVG}}}a"):
        link.attrib.pop(HREF, None)
    if background is not None:
        _lay_under(root, background)
    text = ET.tostring(root, encoding="unicode")
    if kind == "svg":
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()
    import vl_convert  # only for pictures: it takes a while

    if kind == "png":
        return bytes(vl_convert.svg_to_png(text, scale=scale))
    return bytes(vl_convert.svg_to_pdf(text))


def _lay_under(root: ET.Element, background: str) -> None:
    left, top, width, height = root.get("viewBox", "0 0 100 100").split()
    place = {"x": left, "y": top, "width": width, "height": height, "fill": background}
    root.insert(0, ET.Element(f"{{{SVG}}}rect", place))
