"""Files beside a page that hold more of it, and the JSON that pages offer."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import msgspec


def script(value: Any) -> bytes:
    """A script that gives a value to the page which loads it, as `templates/scripts/data.js` reads.

    It is a script since a page that was opened from a folder may load nothing else. Its JSON is
    compressed: rows of a table repeat the same markup, and shrink to a tenth.
    """
    packed = zlib.compress(msgspec.json.encode(value))
    return b'receivePacked("' + base64.b64encode(packed) + b'");\n'


def by_line(data: bytes) -> bytes:
    """A JSON object with each of its fields, and each item of its lists, on a line of its own.

    It is half as long as with each value on a line, and can still be read and compared.
    """
    fields: dict[str, msgspec.Raw] = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    lines = [msgspec.json.encode(name) + b":" + _items(value) for name, value in fields.items()]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _items(value: msgspec.Raw) -> bytes:
    data = bytes(value)
    if not data.startswith(b"["):
        return data
    items: list[msgspec.Raw] = msgspec.json.decode(data, type=list[msgspec.Raw])
    return b"[\n" + b",\n".join(map(bytes, items)) + b"\n]" if items else data
