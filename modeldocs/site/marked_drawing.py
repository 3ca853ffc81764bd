"""A drawing of one of two networks: its layers lead to their rows, those that differ are marked."""

from __future__ import annotations

import html
import re

from modeldocs.site.verdict import anchor

_ID = re.compile(r' id="(?!a_r&#45;)[^"]*"')
_BOX = re.compile(r'<g id="a_r&#45;([^"]+)">')
_LINK = re.compile(r' xlink:href="#([^"]*)"')


def marked(svg: str, side: int, rows: dict[str, str]) -> str:
    """The SVG of A (side 0) or B, with ids of its own on a page that has both.

    `rows` gives the consequence of what changed by a row's anchor, empty where nothing did; a
    layer without a row leads nowhere.
    """

    def box(found: re.Match[str]) -> str:
        told = anchor(side, html.unescape(found.group(1)))
        change = rows.get(told)
        mark = f' class="mr-marked mr-consequence-{change}"' if change else ""
        return f'<g id="a_r-{html.escape(told)}"{mark}>'

    def link(found: re.Match[str]) -> str:
        told = anchor(side, html.unescape(found.group(1)))
        return f' xlink:href="#{html.escape(told)}"' if told in rows else ""

    return _LINK.sub(link, _BOX.sub(box, _ID.sub("", svg)))
