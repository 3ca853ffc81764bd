"""Long lists of numbers, which a program has as constants of its module: `TABLE`, `TABLE_2`."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Final

_NUMBER: Final = r"(?:-?\d[\d.]*(?:e[+-]?\d+)?|True|False)"
_LONG: Final = re.compile(rf"\[{_NUMBER}(?:, {_NUMBER}){{12,}}\]")
_WIDTH: Final = 84


def named(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """The lists of code as definitions, and the code with their names in the place of them."""
    names: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        text = found.group()[1:-1]
        return names.setdefault(text, f"TABLE_{len(names) + 1}" if names else "TABLE")

    code = [_LONG.sub(name, text) for text in texts]
    return [_definition(one, text) for text, one in names.items()], code


def _definition(name: str, numbers: str) -> str:
    """A list with as many numbers in a line as fit; `ruff format` would write one."""
    lines = textwrap.wrap(numbers + ",", _WIDTH, break_on_hyphens=False)
    body = "\n".join(f"    {line}" for line in lines)
    return f"# fmt: off\n{name} = [\n{body}\n]\n# fmt: on"
