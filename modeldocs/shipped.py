"""Where the files that come with the package lie: templates, styles, scripts."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def templates() -> Path:
    """The Jinja2 templates: inside the package when installed, beside it in a checkout."""
    inside = _PACKAGE / "templates"
    return inside if inside.is_dir() else _PACKAGE.parent / "templates"


def assets() -> Path:
    """Styles and scripts of every site."""
    inside = _PACKAGE / "assets"
    return inside if inside.is_dir() else _PACKAGE.parent / "site_src" / "assets"
