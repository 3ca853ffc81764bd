"""Widths of text in Helvetica and Arial, which diagrams are drawn with.

Graphviz would measure text with a font of the machine that builds, which need not be one that the
reader's browser draws with: boxes would have another size on every machine.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_REGULAR: Final = {
    191: "'",
    222: "ijl‘’",
    260: "|¦",
    278: " !,./:;I[\\]ft·",
    333: "()-`r“”",
    334: "{}",
    350: "•",
    355: '"',
    389: "*",
    400: "°",
    446: "ε",
    469: "^",
    500: "Jcksvxyzλγ",
    549: "±÷≥≤≈√",
    556: "#$0123456789?L_abdeghnopqu–",
    576: "βδμα",
    584: "+<=>~×−",
    611: "FTZß",
    667: "&ABEKPSVXYσΔ",
    722: "CDHNRUwπ∞",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "→←↔…—",
    1015: "@",
}
_BOLD: Final = {
    238: "'",
    278: " ,./I\\ijl·‘’",
    280: "|¦",
    333: "!()-:;[]`ft",
    350: "•",
    389: "*r{}",
    400: "°",
    474: '"',
    500: "z“”",
    549: "±÷≥≤≈√",
    556: "#$0123456789J_aceksvxy–λγε",
    584: "+<=>^~×−",
    611: "?FLTZbdghnopquαβδμß",
    667: "EPSVXYσ",
    722: "&ABCDHKNRUΔ∞π",
    778: "GOQw",
    833: "M",
    889: "%m",
    944: "W",
    975: "@",
    1000: "→←↔…—",
}
"""Characters by their width, in thousandths of the size of the font."""

_WIDTHS: Final = tuple(
    {character: width for width, characters in table.items() for character in characters}
    for table in (_REGULAR, _BOLD)
)
_OTHER, _WIDE = 600, 1000


def width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a line of text, in the unit of the font's `size`."""
    known = _WIDTHS[bold]
    return sum(known.get(char) or _width_of_other(char, known) for char in text) * size / 1000


def _width_of_other(character: str, known: dict[str, int]) -> int:
    """About the width of a character that the tables lack, such as a letter with an accent."""
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    return known.get(unicodedata.normalize("NFD", character)[0], _OTHER)
