"""Names of the source as names of Python."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Sequence
from itertools import count

_LETTERS = re.compile(r"[a-zA-Z]*")
_SEPARATORS = re.compile(r"[^0-9a-zA-Z]+")


def words(name: str) -> list[str]:
    """The parts of a name between separators."""
    return [word for word in _SEPARATORS.split(name) if word]


def variable(name: str, fallback: str) -> str:
    """A name for an attribute or variable; what begins with digits has them at its end, behind the
    fallback if there is nothing else: `bn_0` of `0_bn`.
    """
    own = words(name)
    first = next((place for place, word in enumerate(own) if not word[0].isdigit()), 0)
    joined = "_".join([*own[first:], *own[:first]])
    if not joined:
        return fallback
    if joined[0].isdigit():
        joined = f"{fallback}_{joined}"
    return f"{joined}_" if keyword.iskeyword(joined) else joined


def class_name(name: str, fallback: str) -> str:
    """A name for a class: `InceptionModule` of `Inception module`."""
    joined = "".join(word[0].upper() + word[1:] for word in words(name.rpartition(".")[2]))
    return joined if joined and not joined[0].isdigit() else fallback


def unique(name: str, taken: Collection[str]) -> str:
    """The name, or with the first number that makes it unique: `conv2`."""
    if name not in taken:
        return name
    glue = "_" if name[-1].isdigit() else ""
    return next(one for n in count(2) if (one := f"{name}{glue}{n}") not in taken)


def common_name(names: Sequence[str]) -> str:
    """What the names of one part in all instances of a block have in common; "" if nothing.

    Words that differ count with the letters that they begin with: `res2b_branch2a` and
    `res2c_branch2a` are `res_branch2a`.
    """
    if len(set(names)) == 1:
        return names[0]
    lists = [words(name) for name in names]
    if len({len(one) for one in lists}) > 1:
        return ""
    kept = [_common_word(column) for column in zip(*lists, strict=True)]
    return "_".join(word for word in kept if word)


def without_prefix(names: Sequence[str]) -> tuple[str, list[str]]:
    """The words that all names begin with, and what is left of each; "" where nothing would be."""
    lists = [words(name) for name in names]
    shortest = min((len(one) for one in lists), default=1) - 1
    columns = list(zip(*lists, strict=False))[:shortest]
    length = next((n for n, column in enumerate(columns) if len(set(column)) > 1), len(columns))
    if not lists or not length:
        return "", list(names)
    return "_".join(lists[0][:length]), ["_".join(one[length:]) for one in lists]


def _common_word(column: Sequence[str]) -> str:
    if len(set(column)) == 1:
        return column[0]
    letters = {_LETTERS.match(word).group() for word in column}  # type: ignore[union-attr]
    return letters.pop() if len(letters) == 1 else ""
