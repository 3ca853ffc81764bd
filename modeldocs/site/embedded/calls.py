"""Calls in Markdown: `{{ layers("resnet50/pytorch", module="layer1") }}`, each on one line."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct

_CALL = re.compile(r"\{\{[ \t]*([a-z_]+)[ \t]*(\([^\n]*?\))[ \t]*\}\}")
_LITERAL = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^[ \t]*(?P=fence)[`~]*[ \t]*$"
    r"|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"
    r"|<!--.*?-->",
    re.DOTALL | re.MULTILINE,
)
"""Fenced blocks, code in a line, and comments: what is in them is shown as it is."""


class EmbeddedCall(Struct, frozen=True):
    """A call by its name, what it is called with, and the part of the text that it is."""

    name: str
    inside: str
    start: int
    end: int
    line: int

    def values(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What it is called with, by position and by name.

        Raises:
            ModeldocsError: that is no list of values.
        """
        try:
            call = ast.parse(self.name + self.inside, mode="eval").body
            if not isinstance(call, ast.Call):
                raise ValueError
            arguments = tuple(ast.literal_eval(one) for one in call.args)
            return arguments, {one.arg or "": ast.literal_eval(one.value) for one in call.keywords}
        except (SyntaxError, ValueError) as error:
            raise ModeldocsError(
                f"{self.name}{self.inside} cannot be read",
                fix=f'write values alone, such as {self.name}("resnet50/pytorch")',
            ) from error


def calls(text: str, names: Collection[str]) -> Iterator[EmbeddedCall]:
    """The calls of some names in a Markdown text, but those in code and in comments."""
    literal = [range(*match.span()) for match in _LITERAL.finditer(text)]
    for match in _CALL.finditer(text):
        name, inside = match.groups()
        start, end = match.span()
        if name in names and not any(start in one for one in literal):
            line = text.count("\n", 0, start) + 1
            yield EmbeddedCall(name=name, inside=inside, start=start, end=end, line=line)
