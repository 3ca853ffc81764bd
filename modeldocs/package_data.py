"""Files that come with the package: templates, styles and scripts."""

from __future__ import annotations

import re
from pathlib import Path

_PACKAGE = Path(__file__).parent

_CSS_COMMENT = re.compile(r"/\*.*?\*/\n?", re.S)
_JS_PADDING = re.compile(r"^[ \t]*(?://.*|/\*\*.*\*/)?\n|^[ \t]+", re.M)

STYLES = (
    "base",
    "scheme",
    "navigation",
    "contents",
    "tables",
    "operators",
    "catalog",
    "layers",
    "catalog_layers",
    "verdicts",
    "families",
    "every_port",
    "alignment",
    "diagrams",
    "twins",
    "heat",
    "source",
    "compare",
    "edit",
    "roofline",
    "benchmarks",
)
"""Parts of the style sheet in the order of the cascade: general rules come first."""


def templates() -> Path:
    """Folder of the Jinja2 templates: in the installed package, or beside it in a checkout."""
    installed = _PACKAGE / "templates"
    return installed if installed.is_dir() else _PACKAGE.parent / "templates"


def style() -> str:
    """The style sheet of every page, without comments."""
    folder = templates() / "styles"
    text = "\n".join((folder / f"{name}.css").read_text("utf-8") for name in STYLES)
    return _CSS_COMMENT.sub("", text)


def search_script(name: str) -> str:
    """A script for the search: `frame` is for pages opened as files, the others for its worker."""
    return (templates() / "search" / f"{name}.js").read_text("utf-8")


def snippet(name: str) -> str:
    """Code that a page shows to be copied, such as `converted.py`."""
    return (templates() / "snippets" / name).read_text("utf-8")


def late(name: str) -> str:
    """A style sheet or script that a page loads when a reader asks for what it does."""
    text = (templates() / "late" / name).read_text("utf-8")
    return (_CSS_COMMENT if name.endswith(".css") else _JS_PADDING).sub("", text)


def script() -> str:
    """The script of every page, to be run as a module. Pages can be read without it.

    Comments of whole lines and indentation are left out, a fifth of what a browser fetches.
    """
    files = sorted((templates() / "scripts").glob("*.js"))
    return _JS_PADDING.sub("", "\n".join(path.read_text("utf-8") for path in files))
