"""The page that edits a network while the site is served; see `modeldocs.site.serving.editing`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import join

from modeldocs.site import addresses
from modeldocs.site.catalog.compare import DEFAULT_FOLDER, ModelPorts
from modeldocs.site.page import Page
from modeldocs.site.templating import Templates


def pages(groups: Sequence[ModelPorts], folder: str, templates: Templates) -> Iterator[Page]:
    """The page; `folder` is the name of the catalog's folder."""
    editor = templates.long_html(
        "edit",
        groups=[group for group in groups if group.choices],
        options="" if folder == DEFAULT_FOLDER else f" --models {folder}",
    )
    path = join(addresses.EDIT, "index.md")
    yield templates.page(path, "edit", "Edit a network", {"editor": editor})
