"""A node's settings: MXNet keeps each as the text that Python would print of it."""

from __future__ import annotations

import math
import re

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.mxnet.symbol import SymbolNode

_TRUE, _FALSE = ("true", "1"), ("false", "0")
_NOTHING = ("", "None", "none", "null")
_LIMIT = 2**31
_MAX_LISTED = 10_000


class Settings:
    """Typed reading of a node's attributes, each failure told with the node's name."""

    def __init__(self, node: SymbolNode) -> None:
        self.node = node

    def has(self, name: str) -> bool:
        """Whether it is set, to something other than None."""
        return self.node.attributes.get(name, "").strip() not in _NOTHING

    def text(self, name: str, default: str | None = None) -> str:
        """A word; one that must be there where no default is given."""
        if self.has(name):
            return self.node.attributes[name].strip()
        if default is None:
            raise self.node.error(f"has no `{name}`", fix=f"give it a `{name}`")
        return default

    def choice(self, name: str, default: str | None, *allowed: str) -> str:
        """One of the words allowed."""
        found = self.text(name, default)
        if found not in allowed:
            raise self._wrong(name, f"one of: {', '.join(allowed)}")
        return found

    def flag(self, name: str, *, default: bool) -> bool:
        """`True`, `1` or `true`, or their opposites."""
        if not self.has(name):
            return default
        word = self.text(name).lower()
        if word not in (*_TRUE, *_FALSE):
            raise self._wrong(name, "True or False")
        return word in _TRUE

    def integer(self, name: str, default: int | None = None, *, least: int | None = None) -> int:
        """A whole number below 2³¹ either way, of at least `least`."""
        if default is not None and not self.has(name):
            return default
        made = self._whole(name, self.text(name))
        if least is not None and made < least:
            raise self._wrong(name, f"a whole number from {least} up")
        return made

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number."""
        if default is not None and not self.has(name):
            return default
        return self._real(name, self.text(name))

    def sizes(self, name: str, default: tuple[int, ...] = ()) -> tuple[int, ...]:
        """Whole numbers: `(3, 3)`, `[3, 3]`, `(3,)`, `3`."""
        if not self.has(name):
            return default
        return tuple(self._whole(name, item) for item in self._items(name))

    def optional_sizes(self, name: str) -> tuple[int | None, ...]:
        """Whole numbers, or None: `(None, 3)`."""
        items = self._items(name) if self.has(name) else []
        return tuple(None if i in _NOTHING else self._whole(name, i) for i in items)

    def numbers(self, name: str, default: tuple[float, ...] = ()) -> tuple[float, ...]:
        """Finite numbers: `(0.1, 0.141)`."""
        if not self.has(name):
            return default
        return tuple(self._real(name, item) for item in self._items(name))

    def _items(self, name: str) -> list[str]:
        text = self.text(name)
        inner = text[1:-1] if text[0] in "([" and text[-1] in ")]" else text
        items = [item.strip() for item in inner.split(",")]
        items = items[:-1] if items[-1] == "" else items
        if len(items) > _MAX_LISTED:
            raise self._wrong(name, f"at most {_MAX_LISTED} numbers")
        return items

    def _whole(self, name: str, text: str) -> int:
        # Python 2 printed long numbers with an L.
        if re.fullmatch(r"[+-]?\d{1,18}L?", text):
            made = int(text.removesuffix("L"))
        elif re.fullmatch(r"[+-]?\d{1,18}\.0*", text):
            made = int(float(text))
        elif text in ("True", "False"):
            made = int(text == "True")
        else:
            raise self._wrong(name, "whole numbers")
        if abs(made) >= _LIMIT:
            raise self._wrong(name, "numbers below 2³¹")
        return made

    def _real(self, name: str, text: str) -> float:
        try:
            made = float(text.removesuffix("f"))
        except ValueError:
            made = math.nan
        if not math.isfinite(made):
            raise self._wrong(name, "a finite number")
        return made

    def _wrong(self, name: str, wanted: str) -> ModeldocsError:
        given = self.node.attributes.get(name, "")[:100]
        return self.node.error(f"has `{name}` {given!r}", fix=f"write {wanted}")
