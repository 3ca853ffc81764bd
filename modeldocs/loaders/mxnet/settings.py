"""Typed reading of a node's settings, which MXNet stores as the text that Python prints."""

from __future__ import annotations

import math
import re

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.mxnet.program import SymbolNode

_TRUE, _FALSE = ("true", "1"), ("false", "0")
_NONE = ("", "None", "none", "null")
_LIMIT = 2**31
_MAX_ITEMS = 10_000


class NodeSettings:
    """A node's attributes by type; what does not fit raises an error that names the node."""

    def __init__(self, node: SymbolNode) -> None:
        self.node = node

    def has(self, name: str) -> bool:
        """Whether it is set, to something other than None."""
        return self.node.attributes.get(name, "").strip() not in _NONE

    def text(self, name: str, default: str | None = None) -> str:
        """A word; required where there is no default."""
        if self.has(name):
            return self.node.attributes[name].strip()
        if default is None:
            raise self.node.error(f"has no `{name}`", fix=f"give it a `{name}`")
        return default

    def choice(self, name: str, default: str | None, *allowed: str) -> str:
        """One of the words allowed."""
        word = self.text(name, default)
        if word not in allowed:
            raise self._error(name, f"one of: {', '.join(allowed)}")
        return word

    def flag(self, name: str, *, default: bool) -> bool:
        """`True`, `1` or `true`, or their opposites."""
        if not self.has(name):
            return default
        word = self.text(name).lower()
        if word not in (*_TRUE, *_FALSE):
            raise self._error(name, "True or False")
        return word in _TRUE

    def integer(self, name: str, default: int | None = None, *, least: int | None = None) -> int:
        """A whole number of magnitude below 2³¹, and of at least `least`."""
        if default is not None and not self.has(name):
            return default
        number = self._integer(name, self.text(name))
        if least is not None and number < least:
            raise self._error(name, f"a whole number from {least} up")
        return number

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number."""
        if default is not None and not self.has(name):
            return default
        return self._number(name, self.text(name))

    def sizes(self, name: str, default: tuple[int, ...] = ()) -> tuple[int, ...]:
        """Whole numbers: `(3, 3)`, `[3, 3]`, `(3,)`, `3`."""
        if not self.has(name):
            return default
        return tuple(self._integer(name, item) for item in self._items(name))

    def optional_sizes(self, name: str) -> tuple[int | None, ...]:
        """Whole numbers, or None: `(None, 3)`."""
        items = self._items(name) if self.has(name) else []
        return tuple(None if item in _NONE else self._integer(name, item) for item in items)

    def numbers(self, name: str, default: tuple[float, ...] = ()) -> tuple[float, ...]:
        """Finite numbers: `(0.1, 0.141)`."""
        if not self.has(name):
            return default
        return tuple(self._number(name, item) for item in self._items(name))

    def _items(self, name: str) -> list[str]:
        text = self.text(name)
        inner = text[1:-1] if text[0] in "([" and text[-1] in ")]" else text
        items = [item.strip() for item in inner.split(",")]
        items = items[:-1] if items[-1] == "" else items
        if len(items) > _MAX_ITEMS:
            raise self._error(name, f"at most {_MAX_ITEMS} numbers")
        return items

    def _integer(self, name: str, text: str) -> int:
        # Python 2 printed long numbers with an L.
        if re.fullmatch(r"[+-]?\d{1,18}L?", text):
            number = int(text.removesuffix("L"))
        elif re.fullmatch(r"[+-]?\d{1,18}\.0*", text):
            number = int(float(text))
        elif text in ("True", "False"):
            number = int(text == "True")
        else:
            raise self._error(name, "whole numbers")
        if abs(number) >= _LIMIT:
            raise self._error(name, "numbers below 2³¹")
        return number

    def _number(self, name: str, text: str) -> float:
        try:
            number = float(text.removesuffix("f"))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise self._error(name, "a finite number")
        return number

    def _error(self, name: str, expected: str) -> ModeldocsError:
        text = self.node.attributes.get(name, "")[:100]
        return self.node.error(f"has `{name}` {text!r}", fix=f"write {expected}")
