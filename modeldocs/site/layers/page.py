"""The page of all layers of a catalog, and their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import join
from typing import Final

from modeldocs.site import addresses
from modeldocs.site.layers import files
from modeldocs.site.layers.columns import ModelLayers
from modeldocs.site.page import Page
from modeldocs.site.templating import Templates

EXAMPLES: Final = ("dilation > 1", "kernel = 7x7", "operator = Conv group > 1", "share > 10%")


def pages(models: Sequence[ModelLayers], templates: Templates) -> Iterator[Page]:
    """The page, and the files that it offers and loads."""
    count = sum(model.layers for model in models)
    table = templates.html("catalog_layers", examples=EXAMPLES) if count else ""
    yield templates.page(
        join(addresses.LAYERS, "index.md"),
        "layers",
        "Layers",
        {"table": table},
        count=count,
        ports=sum(model.ports for model in models),
    )
    if count:
        yield from files.pages(tuple(model.packed for model in models))
