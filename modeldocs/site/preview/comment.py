"""The comment on a pull request: what a reviewer must know, short enough for every host.

All names and texts come from a change that nobody has reviewed: they are shown literally, and
neither notify anybody nor link anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from modeldocs.site.preview import hosts, rows
from modeldocs.site.preview.document import ChangeLine, Preview, cut
from modeldocs.site.preview.rows import PreviewRow
from modeldocs.site.templating import escape_markdown

MARKER = "<!-- modeldocs preview -->"
"""The first line of a comment, by which it is found and replaced."""

MAX_BYTES = 60_000
"""Hosts take 65,536 characters or more."""

GRAVEST = 5
"""Ports that are shown with their changes; the others follow in a list to open."""

LINES = 4
"""Changes that are shown of each of those."""

MOST = 200
"""Ports, families or records of the list to open."""

_REFERENCE = re.compile(r"(&#(?:64|35);|\b[Gg][Hh]-)(?=\w)")
"""Mentions of people and references to issues: `@name`, `#1`, `GH-1`."""

_HARMLESS = {f"&#{ord(one)};": one for one in "/-()→−×"}
"""Characters that need no escape within a line, where brackets and colons have theirs."""


def comment(preview: Preview, link: str = "", source: str = "") -> str:
    """The comment as Markdown, empty where nothing changed.

    `link` is the preview's address, `source` the beginning of those of files on the host.
    """
    if preview.is_empty:
        return ""
    ports = rows.rows(preview)
    parts = [
        f"{MARKER}\n### modeldocs: {_text(rows.headline(preview), 300)}\n",
        _table(ports[:GRAVEST], link),
        *(_changes(row, preview, link, source) for row in ports[:GRAVEST]),
        _others(preview),
        _foot(preview, link),
    ]
    parts.insert(3, _rest(ports[GRAVEST:], link, MAX_BYTES - _size(parts)))
    return "\n".join(part for part in parts if part)


def _table(ports: list[PreviewRow], link: str) -> str:
    if not ports:
        return ""
    head = "| | Port | | Layers | Parameters | MACs | Proof |\n|---|---|---|---|---|---|---|\n"
    return head + "".join(_line(row, link) for row in ports)


def _line(row: PreviewRow, link: str) -> str:
    texts = (_text(one) for one in (*row.figures, row.proof))
    cells = (row.sign, _port(row, link), _text(row.what, 240), *texts)
    return f"| {' | '.join(cells)} |\n"


def _port(row: PreviewRow, link: str) -> str:
    name = _text(row.name, 120)
    return f"[{name}]({link.rstrip('/')}/{row.change.page})" if link and row.change.page else name


def _changes(row: PreviewRow, preview: Preview, link: str, source: str) -> str:
    """The changes of a port with their lines, and what it is now to the other ports; to be opened.

    Nothing where that is one change, which the table has, and without a line.
    """
    effect, turned = row.change.effect, rows.turned(row.change)
    lines = [one for one in effect.lines if one.consequence != "spelling"] if effect else []
    places = [_place(one, preview, source) for one in lines[:LINES]]
    if len(lines) < 2 and not turned and not any(places):
        return ""
    shown = "".join(
        f"- {_text(one.title, 240)}{_layers(one.layers)}{place}\n"
        for one, place in zip(lines, places, strict=False)
    )
    more = effect.changes - min(len(lines), LINES) if effect is not None else 0
    shown += f"- and {more} more\n" if more > 0 else ""
    shown += "".join(f"- {_text(one, 240)}\n" for one in turned[:LINES])
    pictures = _pictures(row, link)
    name = _text(row.name, 120)
    return f"\n<details><summary>{name}</summary>\n\n{pictures}{shown}\n</details>\n"


def _pictures(row: PreviewRow, link: str) -> str:
    """The profiles of a port that loads on both sides, where the preview is published."""
    both = row.change.before, row.change.after
    if not link or not row.change.page or any(one is None or one.failure for one in both):
        return ""
    folder = f"{link.rstrip('/')}/{row.change.page}"
    return f"![before]({folder}before.svg) → ![after]({folder}after.svg)\n\n"


def _place(line: ChangeLine, preview: Preview, source: str) -> str:
    """The line of the source that a change is in, as a link where the host is known."""
    if not line.file or line.row is None:
        return ""
    text = f"{_text(line.file, 160)}:{line.row}"
    if not source or preview.head.modified:
        return f", {text}"
    return f", [{text}]({hosts.line_link(source, preview.head.commit, line.file, line.row)})"


def _layers(count: int) -> str:
    return f" ({count:,} layers)" if count > 1 else ""


def _rest(ports: list[PreviewRow], link: str, room: int) -> str:
    """The other ports, as many as there is room for, in a list that opens on request."""
    if not ports:
        return ""
    lines: list[str] = []
    room -= 400
    for row in ports[:MOST]:
        line = f"- {row.sign} {_port(row, link)} {_text(row.what, 160)}\n"
        room -= _size([line])
        if room < 0:
            break
        lines.append(line)
    left = len(ports) - len(lines)
    more = f"- and {left} more\n" if left else ""
    noun = "port" if len(ports) == 1 else "ports"
    summary = f"<details><summary>{len(ports)} more {noun}</summary>"
    return f"\n{summary}\n\n{''.join(lines)}{more}\n</details>\n"


def _others(preview: Preview) -> str:
    """Models, families and records."""
    found = rows.others(preview)
    lines = [f"- {_text(one, 300)}\n" for one in found[:10]]
    more = f"- and {len(found) - 10} more\n" if len(found) > 10 else ""
    return "\n" + "".join(lines) + more if lines else ""


def _foot(preview: Preview, link: str) -> str:
    noun = "port is" if preview.untouched == 1 else "ports are"
    sides = "A is the base, B the change. " if any(port.effect for port in preview.ports) else ""
    head = f"{preview.head.commit[:12]}{' with changes' if preview.head.modified else ''}"
    see = f"[See the preview]({link.rstrip('/')}/changes/). " if link else ""
    return (
        f"\n{see}{sides}{preview.untouched:,} {noun} untouched. "
        f"{_text(preview.base.commit[:12])} → {_text(head)}, modeldocs {_text(preview.modeldocs)}: "
        f"<code>{_text(preview.command, 300)}</code>\n"
    )


def _text(text: str, length: int = 80) -> str:
    """Text of a model as Markdown that shows it and does nothing else."""
    escaped = escape_markdown(cut(text, length))
    for reference, character in _HARMLESS.items():
        escaped = escaped.replace(reference, character)
    return _REFERENCE.sub("\\1\u2060", escaped)


def _size(parts: Iterable[str]) -> int:
    return sum(len(part.encode("utf-8")) + 1 for part in parts)
