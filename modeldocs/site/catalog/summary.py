"""What pages of the whole catalog say of one model, kept between builds as long as it is so."""

from __future__ import annotations

from modeldocs.catalog import Model
from modeldocs.site.catalog import compare, listing, proofs
from modeldocs.site.catalog import home as catalog_page
from modeldocs.site.catalog.compare import ModelPairs, ModelPorts
from modeldocs.site.catalog.home import ModelRow
from modeldocs.site.catalog.listing import ListedModel
from modeldocs.site.catalog.proofs import ModelProofs
from modeldocs.site.layers import columns
from modeldocs.site.layers.columns import ModelLayers
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results


class ModelSummary(Struct, frozen=True):
    """A model on the pages of the whole catalog; links are relative to each of these pages.

    `row` is its row of the catalog, `listed` its part of `catalog.json`, `choices` and `pairs` are
    on the page that compares any two, `proofs` on the page of proofs, `layers` on that of layers.
    """

    row: ModelRow
    listed: ListedModel
    choices: ModelPorts
    pairs: ModelPairs
    proofs: ModelProofs
    layers: ModelLayers


def summarise(model: Model, results: Results, compared: ComparedPorts, home: str) -> ModelSummary:
    """The summary of a model; `home` is the folder of the catalog's page."""
    return ModelSummary(
        row=catalog_page.row(model, results, compared, home),
        listed=listing.listed(model, results, compared),
        choices=compare.group(model, results),
        pairs=compare.model_pairs(model, compared, results),
        proofs=proofs.of_model(model, results, compared),
        layers=columns.of_model(model, results),
    )
