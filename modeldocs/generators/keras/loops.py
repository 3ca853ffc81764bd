"""Lines that differ in a number alone, as a loop."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBERED = re.compile(r'(name=f?"|name=f?\')([^"\']*?)(\d+)(["\'])')
"""The name that a line gives to a layer or block, and the number that it ends in."""

_FEW = 3
"""Lines that become a loop."""


def with_loops(lines: Sequence[str]) -> list[str]:
    """Lines, with each run of lines that differ in the number of a name alone as a loop."""
    result: list[str] = []
    place = 0
    while place < len(lines):
        count = _run(lines[place:])
        if count < _FEW:
            result.append(lines[place])
            place += 1
            continue
        match = _NUMBERED.search(lines[place])
        assert match is not None
        first = int(match.group(3))
        numbers = f"{first}, {first + count}" if first else str(count)
        start = match.group(1) if "f" in match.group(1)[5:] else match.group(1).replace("=", "=f")
        name = f"{start}{match.group(2)}{{number}}{match.group(4)}"
        body = lines[place][: match.start()] + name + lines[place][match.end() :]
        result += [f"for number in range({numbers}):", f"    {body}"]
        place += count
    return result


def _run(lines: Sequence[str]) -> int:
    """How many lines from the first on are the same but for numbers that count up."""
    first = _NUMBERED.search(lines[0])
    if first is None or not _reads_what_it_writes(lines[0]):
        return 1
    count = 1
    while count < len(lines):
        number = str(int(first.group(3)) + count)
        wanted = lines[0][: first.start(3)] + number + lines[0][first.end(3) :]
        if lines[count] != wanted:
            break
        count += 1
    return count


def _reads_what_it_writes(line: str) -> bool:
    target, _, code = line.partition(" = ")
    return re.search(rf"\b{target}\b", code) is not None if target.isidentifier() else False
