"""`make bench-drawings`: every port of site/ as SVG, PNG and PDF, opened by other programs."""

from __future__ import annotations

import io
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from lxml import etree
from pypdf import PdfReader
from rich.console import Console

from modeldocs import ir
from modeldocs.diagram import draw_levels
from modeldocs.diagram.picture import FORMATS, picture

REPOSITORY = Path(__file__).parents[1]
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def opens_svg(data: bytes) -> bool:
    """Whether an XML parser finds shapes in it."""
    return bool(etree.fromstring(data).xpath("//*[local-name()='polygon']"))


def opens_png(data: bytes) -> bool:
    """Whether all chunks have their checksums, and the pixels can be decompressed."""
    if not data.startswith(_SIGNATURE):
        return False
    place, pixels = len(_SIGNATURE), b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place : place + 8])
        body, end = data[place + 8 : place + 8 + size], place + 8 + size
        if zlib.crc32(kind + body) != struct.unpack(">I", data[end : end + 4])[0]:
            return False
        pixels += body if kind == b"IDAT" else b""
        place = end + 4
    return bool(zlib.decompress(pixels))


def opens_pdf(data: bytes) -> bool:
    """Whether it has one page with text."""
    pages = PdfReader(io.BytesIO(data)).pages
    return len(pages) == 1 and bool(pages[0].extract_text().strip())


OPENS: dict[str, Callable[[bytes], bool]] = {"svg": opens_svg, "png": opens_png, "pdf": opens_pdf}


def main() -> int:
    """Draw the ports of the built site, and print how many pictures each program opens."""
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "site"
    console, opened, ports = (
        Console(),
        Counter[str](),
        sorted(site.glob("models/*/ports/*/graph.json")),
    )
    for file in ports:
        svg = draw_levels(ir.decode(file.read_bytes()))[0].svg
        for kind in FORMATS:
            if OPENS[kind](picture(svg, kind, scale=1.0)):
                opened[kind] += 1
            else:
                console.print(f"{file.parent.relative_to(site)}: the {kind} does not open")
    for kind in FORMATS:
        console.print(f"{kind}: {opened[kind]} of {len(ports)}")
    return 0 if all(opened[kind] == len(ports) for kind in FORMATS) else 1


if __name__ == "__main__":
    sys.exit(main())
