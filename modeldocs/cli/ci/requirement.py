"""Requirements of modeldocs in commands and files of requirements, and whether they are safe.

Its distribution is not registered at the public index: what anybody may upload there under its
name, or under that of its package, must not run in a pipeline.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from modeldocs.errors import ModeldocsError

DISTRIBUTION = "mkdocs-modeldocs"
"""The name of the package that pip installs; `modeldocs` is another project's."""

_NAMED = re.compile(
    r"(?P<name>(?:mkdocs[-_.])?modeldocs)\s*(?:\[[^\]]*\])?\s*(?P<source>@)?(?:$|[@=<>!~;\s])", re.I
)
_OWN = re.compile(rf"(?<![\w./-]){DISTRIBUTION}(?:\[(?P<extras>[^\]]*)\])?", re.I)
_INDEX = re.compile(r"(?:-i|--index-url|--no-index)(?:$|[=\s])")
_PARTS = re.compile(r"&&|\|\||[;|\n]")
_INCLUDED = re.compile(r"(?:-r|--requirement)[=\s]*(?P<file>\S+)")


def direct(url: str, extras: Sequence[str] = ()) -> str:
    """The requirement of modeldocs from a URL, quoted for a shell, in which `$PWD` may stand."""
    return f'"{with_extras(DISTRIBUTION, extras)} @ {url}"'


def with_extras(text: str, extras: Sequence[str]) -> str:
    """A text with the extras added to its requirement of modeldocs."""

    def extended(match: re.Match[str]) -> str:
        named = [name.strip() for name in (match["extras"] or "").split(",") if name.strip()]
        every = ",".join(dict.fromkeys([*named, *extras]))
        return f"{DISTRIBUTION}[{every}]" if every else DISTRIBUTION

    return _OWN.sub(extended, text, count=1)


def check_command(command: str) -> None:
    """Check what a shell command installs.

    Raises:
        ModeldocsError: it takes modeldocs from the public index.
    """
    for part in _PARTS.split(command.replace("\\\n", " ")):
        try:
            words = shlex.split(part)
        except ValueError:  # a quote that is open: it is the shell's to tell
            words = part.split()
        if "install" in words:
            _check(words[words.index("install") + 1 :], "the command")


def check_arguments(arguments: str, file: str) -> None:
    """Check the arguments of `pip install` in a file's setting `installation`.

    Raises:
        ModeldocsError: they do not name modeldocs, or take it from the public index.
    """
    if not _OWN.search(arguments) or len(arguments.splitlines()) > 1:
        raise ModeldocsError(
            f"`installation` does not name {DISTRIBUTION}",
            file=file,
            fix=f"write what follows `pip install`, with an index of your own: --index-url URL "
            f"{DISTRIBUTION}==VERSION",
        )
    check_command(f"pip install {arguments}")


def check_file(file: Path) -> bool:
    """Check a file of requirements and those that it includes; whether they name modeldocs.

    Raises:
        ModeldocsError: they take it from the public index.
    """
    lines = list(_lines(file, set()))
    _check(lines, file.name)
    return any("modeldocs" in line for line in lines)


def _lines(file: Path, seen: set[Path]) -> Iterator[str]:
    if file in seen or not file.is_file():
        return
    seen.add(file)
    text = file.read_text("utf-8", "replace").replace("\\\n", " ")
    for line in text.splitlines():
        plain = re.sub(r"(?:^|\s)#.*", "", line).strip()
        included = _INCLUDED.match(plain)
        if included is not None:
            yield from _lines(file.parent / included["file"], seen)
        elif plain:
            yield plain


def _check(requirements: Sequence[str], where: str) -> None:
    has_index = any(_INDEX.match(one) for one in requirements)
    for one in requirements:
        named = _NAMED.match(one)
        if named is None:
            continue
        is_ours = named["name"].lower() != "modeldocs"
        if named["source"] or (is_ours and (has_index or "--hash=" in one)):
            continue
        whose = "may be anybody's there" if is_ours else "is another project there"
        raise ModeldocsError(
            f"{where} installs {named['name']} from the public package index, and that {whose}",
            fix=f'name its source: "{DISTRIBUTION} @ git+https://…@COMMIT", or an index of your '
            f"own: --index-url URL {DISTRIBUTION}",
        )
