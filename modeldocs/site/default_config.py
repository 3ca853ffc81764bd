"""The configuration of a site whose project has no mkdocs.yml of its own, and of previews."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from modeldocs.site.settings import PLUGIN

PAGE_EXTENSIONS = ("attr_list", "md_in_html", "tables")
"""Extensions of Markdown that the pages need."""
_EXTENSIONS = ("admonition", *PAGE_EXTENSIONS)
_SCHEMES = (("default", "brightness-7", "dark"), ("slate", "brightness-4", "light"))
"""Colour schemes with the icon and the word of the button that leads to the other one."""


@contextlib.contextmanager
def configuration(
    name: str, target: Path, options: dict[str, str], nav: list[Any] | None = None
) -> Iterator[Path]:
    """A mkdocs.yml in a temporary folder, for a site in `target`; deleted when the block ends.

    `options` are those of the plugin, with absolute paths.
    """
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        docs = Path(folder, "docs")
        docs.mkdir()
        settings = {
            "site_name": name,
            "docs_dir": str(docs),
            "site_dir": str(target),
            "theme": {
                "name": "material",
                "font": False,
                "palette": [_scheme(*scheme) for scheme in _SCHEMES],
                "features": ["navigation.tabs"] if nav else [],
            },
            "plugins": ["search", {PLUGIN: options}],
            "markdown_extensions": list(_EXTENSIONS),
            **({"nav": nav} if nav else {}),
        }
        file = Path(folder, "mkdocs.yml")
        file.write_text(yaml.safe_dump(settings), "utf-8")
        yield file


def _scheme(name: str, icon: str, other: str) -> dict[str, Any]:
    word = "light" if other == "dark" else "dark"
    return {
        "media": f"(prefers-color-scheme: {word})",
        "scheme": name,
        "toggle": {"icon": f"material/{icon}", "name": f"Switch to {other} mode"},
    }
