"""Text damaged by its words: numbers and names exchanged, lines and blocks doubled or gone."""

from __future__ import annotations

import re
from random import Random

WORD = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z_][\w.]*|-?\d[\w.+-]*|[^\s\w]')
_NUMBER = re.compile(r"-?\d[\w.+-]*")

VALUES = (
    *("0", "1", "-1", "2", "3", "7", "100", "65536", "2147483647", "2147483648", "4294967296"),
    *("1099511627776", "9223372036854775807", "9223372036854775808", "-9223372036854775808"),
    *("1" * 40, "1e999", "-1e38", "1e-45", "0.5", "nan", "inf", "-inf", "0x10", "1.", ".5"),
    *('""', '"x"', '"\\377\\000"', "true", "false", "null", "None", "{}", "[]", "{", "}", ":"),
)
"""What is put in the place of another word."""


def change(data: bytes, chance: Random, known: tuple[str, ...] = ()) -> bytes:
    """The text with one thing wrong. `known` are words of its language that may be put in."""
    text = data.decode("utf-8", "replace")
    return chance.choice(_WAYS)(text, chance, known).encode("utf-8", "replace")


def _words(text: str) -> list[re.Match[str]]:
    return list(WORD.finditer(text))


def _replace(text: str, found: re.Match[str], word: str) -> str:
    return text[: found.start()] + word + text[found.end() :]


def _exchange(text: str, chance: Random, known: tuple[str, ...]) -> str:
    """A word for another of the text, of the language, or none that fits."""
    words = _words(text)
    if not words:
        return chance.choice(VALUES)
    other = chance.choice((chance.choice(words)[0], chance.choice(VALUES), *_one(known, chance)))
    return _replace(text, chance.choice(words), other)


def _one(known: tuple[str, ...], chance: Random) -> tuple[str, ...]:
    return (chance.choice(known),) if known else ()


def _numbers(text: str, chance: Random, _: tuple[str, ...]) -> str:
    """Numbers for others: the text is read as before, and means something else."""
    numbers = [found for found in _words(text) if _NUMBER.fullmatch(found[0])]
    for found in sorted(
        chance.sample(numbers, min(len(numbers), chance.choice((1, 1, 2, 3)))),
        key=lambda one: -one.start(),
    ):
        text = _replace(text, found, chance.choice(VALUES[:27]))
    return text


def _names(text: str, chance: Random, known: tuple[str, ...]) -> str:
    """A name for another of the same kind: what reads what is another, or a cycle."""
    words = [found for found in _words(text) if found[0][0] in "\"'" or found[0][0].isalpha()]
    if not words:
        return text
    found = chance.choice(words)
    same = [one[0] for one in words if (one[0][0] in "\"'") == (found[0][0] in "\"'")]
    return _replace(text, found, chance.choice([*same, *_one(known, chance)]))


def _lines(text: str, chance: Random, _: tuple[str, ...]) -> str:
    """A line doubled, gone, or elsewhere."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    count = chance.choice((1, 1, 1, 2, 5))
    start = chance.randrange(len(lines))
    held = lines[start : start + count]
    way = chance.randrange(3)
    if way != 0:
        del lines[start : start + count]
    if way != 1:
        place = chance.randrange(len(lines) + 1)
        lines[place:place] = held
    return "".join(lines)


def _blocks(text: str, chance: Random, _: tuple[str, ...]) -> str:
    """What stands between two braces doubled, gone, emptied, or in the place of another."""
    blocks = _braced(text)
    if not blocks:
        return text
    (start, end), (other, until) = chance.choice(blocks), chance.choice(blocks)
    made = (text[start:end] * 2, "", text[start] + text[end - 1], text[other:until])
    return text[:start] + chance.choice(made) + text[end:]


def _braced(text: str) -> list[tuple[int, int]]:
    opened: list[int] = []
    found: list[tuple[int, int]] = []
    for place, char in enumerate(text):
        if char in "{[(<":
            opened.append(place)
        elif char in "}])>" and opened:
            found.append((opened.pop(), place + 1))
    return found


def _nest(text: str, chance: Random, _: tuple[str, ...]) -> str:
    """A block in itself, again and again."""
    blocks = _braced(text)
    depth = chance.choice((2, 8, 30, 300, 3000))
    if not blocks:
        return chance.choice("[{(") * depth
    start, end = chance.choice(blocks)
    if (end - start) * depth > 200_000:
        depth = max(1, 200_000 // (end - start))
    if chance.random() < 0.5:
        return (
            text[:start]
            + text[start] * depth
            + text[start:end]
            + text[end - 1] * depth
            + (text[end:])
        )
    inner = text[start + 1 : end - 1]
    for _step in range(min(depth, 12)):
        inner = (inner + text[start] + inner + text[end - 1])[:100_000]
    return text[: start + 1] + inner + text[end - 1 :]


def _lengthen(text: str, chance: Random, _: tuple[str, ...]) -> str:
    """A word made very long, or with characters that names do not have."""
    words = _words(text)
    if not words:
        return text
    found = chance.choice(words)
    longer = (found[0][:-1] or "x") * chance.choice((10, 300, 5000))
    odd = chance.choice(("é", "\u202e", "\0", "\n", "/../", "<b>", "`|`", "\x1b[31m", "\ud7ff"))
    made = chance.choice((longer[:50_000] + found[0][-1], found[0][:-1] + odd + found[0][-1]))
    return _replace(text, found, made)


def _cut(text: str, chance: Random, _: tuple[str, ...]) -> str:
    words = _words(text)
    return text[: chance.choice(words).start()] if words else text


_WAYS = (
    *(_exchange, _exchange, _exchange, _numbers, _numbers, _numbers, _names, _names),
    *(_lines, _lines, _blocks, _blocks, _nest, _lengthen, _cut),
)
