"""One HTML file that needs no other file and no server: a report, with its styles and scripts."""

from __future__ import annotations

from modeldocs import __version__, package_data
from modeldocs.site.templating import Templates

SIGN = b'<meta name="generator" content="modeldocs '
"""What each of them holds."""


def html(title: str, body: str, templates: Templates, note: str = "") -> str:
    """The file with that body; a `note` stands at its end. It reads nothing from anywhere else."""
    return templates.html(
        "document",
        title=title,
        body=body,
        note=note,
        style=package_data.style(),
        script=package_data.script(),
        version=__version__,
    )
