"""The page of all layers of a catalog, and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from posixpath import join
from typing import Final

from modeldocs.site import addresses
from modeldocs.site.layers import files
from modeldocs.site.layers.columns import ModelLayers
from modeldocs.site.page import Page
from modeldocs.site.search import terms as search_terms
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
        terms=search_terms.of_layers((one.model, Counter(one.settings)) for one in models),
        count=count,
        ports=sum(model.ports for model in models),
    )
    if count:
        yield from files.pages(tuple(model.packed for model in models))
