"""The badge of a model for READMEs: how many of its ports are verified, as a small SVG."""

from __future__ import annotations

import html
from typing import Final

from modeldocs import formatting
from modeldocs.catalog import Model
from modeldocs.site import addresses
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results

VERIFIED, DIFFERS, FAILED, OPEN = "#2e7d32", "#a85200", "#b3261e", "#5f6368"
"""Colours of the states; white text has a contrast of more than 4.5 on each."""

_LABEL: Final = "#3c4043"
_HEIGHT, _SPACE, _SIZE = 20, 6, 11
"""Height, space beside a text, and size of the text, in pixels."""

_WIDTHS: Final = {
    0.29: "ijl|'!.,:;",
    0.41: 'frtI()[]{}/\\-" ',
    0.82: "mwMW@%&",
    0.70: "ABCDEFGHKLNOPQRSTUVXYZ<>=+~#",
}
"""Width of characters in Verdana, in ems, rounded to classes; `_OTHER` is that of the others."""
_OTHER, _WIDE = 0.62, 1.0


class Badge(Struct, frozen=True):
    """The two texts of a badge, and the colour of the second."""

    label: str
    value: str
    colour: str


def badge(model: Model, results: Results) -> Badge:
    """The badge of a model.

    It is green if all ports are verified, orange if one disagrees with its framework, red if one
    could not be loaded, else grey; the text says the same.
    """
    proofs = [results.proof(model, port) for port in model.ports]
    verified = sum(proof is not None and proof.verdict == "verified" for proof in proofs)
    disagree = sum(proof is not None and proof.verdict == "disagrees" for proof in proofs)
    failed = sum(results.loaded(model, port).failure is not None for port in model.ports)
    count = len(model.ports)
    ports = "port" if count == 1 else "ports"
    value = f"{verified} of {count} {ports} verified" if count else "no ports"
    value += f", {disagree} disagree{'s' if disagree == 1 else ''}" if disagree else ""
    value += f", {failed} not loaded" if failed else ""
    colour = VERIFIED if count and verified == count else OPEN
    colour = FAILED if failed else DIFFERS if disagree else colour
    return Badge(label=formatting.cut(formatting.visible(model.title)), value=value, colour=colour)


def svg(one: Badge) -> str:
    """The badge as SVG; `textLength` keeps its texts in their place in every font."""
    left, right = width(one.label), width(one.value)
    split, whole = left + 2 * _SPACE, left + right + 4 * _SPACE
    title = html.escape(f"{one.label}: {one.value}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{_HEIGHT}" '
        f'viewBox="0 0 {whole} {_HEIGHT}" role="img" aria-label="{title}"><title>{title}</title>'
        f'<rect width="{whole}" height="{_HEIGHT}" rx="3" fill="{one.colour}"/>'
        f'<path d="M{split} 0H3a3 3 0 0 0-3 3v14a3 3 0 0 0 3 3h{split - 3}z" fill="{_LABEL}"/>'
        f'<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" '
        f'font-size="{_SIZE}" aria-hidden="true">'
        f"{_text(one.label, _SPACE, left)}{_text(one.value, split + _SPACE, right)}</g></svg>\n"
    )


def width(text: str) -> int:
    """Width of a text in pixels, estimated."""
    return max(1, round(_SIZE * sum(_ems(char) for char in text)))


def _ems(char: str) -> float:
    known = next((ems for ems, chars in _WIDTHS.items() if char in chars), None)
    return known or (_OTHER if ord(char) < 0x1100 else _WIDE)


def _text(text: str, x: int, length: int) -> str:
    return f'<text x="{x}" y="14" textLength="{length}">{html.escape(text)}</text>'


def markdown(one: Badge) -> str:
    """An image with a link to the model's page, both addresses relative to that page.

    Its text is not the state, which a README would go on to tell after it has changed.
    """
    name = "".join(f"\\{char}" if char in "\\[]" else char for char in one.label)
    return f"[![{name}: verified ports]({addresses.BADGE})](index.html)"
