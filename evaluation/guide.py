"""The parts of the guide that benchmarks write, between two markers of a page."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from modeldocs.benchmarks import machine

GUIDE: Final = Path(__file__).resolve().parents[1] / "site_src" / "guide"
_END: Final = "<!-- end measured -->"


def write(page: Path, target: str, lines: Iterable[str]) -> None:
    """Put lines between the markers of a page, of which the first names the target of `make`."""
    begin = f"<!-- begin measured: written by make {target} -->"
    head, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, tail = rest.partition(_END)
    body = "\n".join(lines)
    page.write_text(f"{head}{begin}\n{body}\n{_END}{tail}", encoding="utf-8")


def circumstances(target: str, *packages: str) -> str:
    """When, where and with which versions a target ran."""
    host = machine.host()
    day = datetime.now(UTC).date().isoformat()
    versions = [f"modeldocs {version('mkdocs-modeldocs')}", f"Python {platform.python_version()}"]
    *others, last = versions + [f"{package} {version(package)}" for package in packages]
    return (
        f"Measured on {day} with `make {target}`, on {host.cpu} ({host.logical_cores} cores), "
        f"with {', '.join(others)} and {last}."
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    yield _row(heads)
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield _row([text.replace("|", "\\|") for text in row])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
