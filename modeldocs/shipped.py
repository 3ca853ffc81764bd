"""Folders of the files that come with the package: templates, styles, scripts."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def templates() -> Path:
    """Folder of the Jinja2 templates: in the installed package, or beside it in a checkout."""
    installed = _PACKAGE / "templates"
    return installed if installed.is_dir() else _PACKAGE.parent / "templates"


def assets() -> Path:
    """Folder of the styles and scripts of every site."""
    installed = _PACKAGE / "assets"
    return installed if installed.is_dir() else _PACKAGE.parent / "site_src" / "assets"
