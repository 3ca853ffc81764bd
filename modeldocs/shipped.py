"""Files that come with the package: templates, styles and scripts."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent

STYLES = (
    "base",
    "scheme",
    "navigation",
    "tables",
    "operators",
    "catalog",
    "layers",
    "verdicts",
    "families",
    "alignment",
    "diagrams",
    "twins",
    "source",
    "compare",
)
"""Parts of the style sheet in the order of the cascade: general rules come first."""


def templates() -> Path:
    """Folder of the Jinja2 templates: in the installed package, or beside it in a checkout."""
    installed = _PACKAGE / "templates"
    return installed if installed.is_dir() else _PACKAGE.parent / "templates"


def style() -> str:
    """The style sheet of every page."""
    folder = templates() / "styles"
    return "\n".join((folder / f"{name}.css").read_text("utf-8") for name in STYLES)


def search_script(name: str) -> str:
    """A script for the search: `frame`, for pages opened as files, or `tokens`, for its worker."""
    return (templates() / "search" / f"{name}.js").read_text("utf-8")


def script() -> str:
    """The script of every page, to be run as a module. Pages can be read without it."""
    files = sorted((templates() / "scripts").glob("*.js"))
    return "\n".join(path.read_text("utf-8") for path in files)
