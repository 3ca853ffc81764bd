"""Diagrams of two networks on one page: links to rows of the table, marks on what differs."""

from __future__ import annotations

import html
import re

from modeldocs.site.verdict import anchor

_ID = re.compile(r' id="(?!a_r&#45;)[^"]*"')
_BOX = re.compile(r'<g id="a_r&#45;([^"]+)">')
_LINK = re.compile(r' xlink:href="#([^"]*)"')


def mark(svg: str, side: int, rows: dict[str, str]) -> str:
    """The diagram of A (`side` 0) or B (1), with ids that differ from the other diagram's.

    `rows` maps the anchors of the table's rows to the consequence of their changes, empty where
    there is no change. A layer without a row loses its link.
    """

    def box(match: re.Match[str]) -> str:
        identity = anchor(side, html.unescape(match.group(1)))
        consequence = rows.get(identity)
        classes = f' class="mr-marked mr-consequence-{consequence}"' if consequence else ""
        return f'<g id="a_r-{html.escape(identity)}"{classes}>'

    def link(match: re.Match[str]) -> str:
        identity = anchor(side, html.unescape(match.group(1)))
        return f' xlink:href="#{html.escape(identity)}"' if identity in rows else ""

    return _LINK.sub(link, _BOX.sub(box, _ID.sub("", svg)))
