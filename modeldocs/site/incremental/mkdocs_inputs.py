"""What MkDocs reads beside the catalog's pages, as digests by which sites and pages are reused.

A digest is None where it is not known what MkDocs reads: then everything is made again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from importlib import util
from pathlib import Path
from typing import Any

from modeldocs import digest
from modeldocs.tasks import closure, store

_PLUGINS = {"search", "material/search", "modeldocs"}
_THEMES = {"material", "mkdocs", "readthedocs", None}
_PACKAGES = ("markdown", "material", "pymdownx")
"""Packages of Markdown extensions that read nothing but the page, with the exceptions below."""

_SOFTWARE = (*_PACKAGES, "jinja2", "mkdocs", "properdocs", "pygments")
_UNKNOWN = (b"!ENV", b"!relative", b"INHERIT", b"snippets", b"b64", b"hooks:", b"prebuild_index")
"""What a configuration holds that reads more than itself and its folders."""

_FUNCTION = re.compile(rb"!!python/[\w/]+:(\w+)")
"""A function that a configuration names, by its package."""

_OTHER_PAGES = (b"pages", b"build_date")
"""What a template of the project holds that shows more than its own page and the navigation."""


def of_site(config: Any) -> str | None:
    """Digest of all that a site is made from besides the catalog's pages."""
    around = _around(config)
    if around is None:
        return None
    docs = Path(config.docs_dir)
    return store.key(around, config.site_dir, config.strict, list(_digests(_files(docs), docs)))


def of_page(config: Any, generator: str) -> str | None:
    """Digest of all that a page is rendered with, but itself and the navigation.

    `generator` is the module of MkDocs or of another generator that it renders with.
    """
    around = _around(config)
    templates = (file.read_bytes() for file in _files(config.theme.custom_dir, "*.html"))
    if around is None or any(word in text for text in templates for word in _OTHER_PAGES):
        return None
    code = closure.closure("modeldocs.site.plugin")
    return store.key(around, generator, closure.digest_of(*code.files))


def _around(config: Any) -> str | None:
    """Digest of the configuration, the theme and the software."""
    file = Path(config.config_file_path)
    text = file.read_bytes()
    known = (
        not set(config.plugins) - _PLUGINS
        and config.theme.name in _THEMES
        and all(map(_is_known_extension, config.markdown_extensions))
        and not any(word in text for word in _UNKNOWN)
        and all(name.decode() in _PACKAGES for name in _FUNCTION.findall(text))
    )
    if not known:
        return None
    custom = config.theme.custom_dir
    return store.key(
        text.decode("utf-8", "replace").replace(str(file.parent), ""),
        (config.site_url, config.use_directory_urls, config.theme.name),
        list(_digests(_files(custom), Path(custom))) if custom else [],
        closure.versions(_SOFTWARE),
    )


def _is_known_extension(name: str) -> bool:
    """Whether a Markdown extension comes with Markdown itself or with one of the known packages."""
    package, dot, _ = name.partition(".")
    if dot:
        return package in _PACKAGES
    return util.find_spec(f"markdown.extensions.{name}") is not None


def _files(folder: str | Path | None, pattern: str = "*") -> list[Path]:
    return sorted(path for path in Path(folder).rglob(pattern) if path.is_file()) if folder else []


def _digests(files: Iterable[Path], folder: Path) -> Iterator[tuple[str, str]]:
    """The files' paths relative to their folder, with the digests of their contents."""
    return ((os.path.relpath(file, folder), digest.of_file(file)) for file in files)
