"""All pages of a site, a pure function of the catalog and its results."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from modeldocs import diff, ir
from modeldocs.benchmarks import record
from modeldocs.catalog import Catalog, manifest_file
from modeldocs.diff import weights
from modeldocs.site import addresses
from modeldocs.site.benchmarks import catalog_page as benchmarks_page
from modeldocs.site.benchmarks import model_page as model_benchmarks
from modeldocs.site.catalog import compare as compare_page
from modeldocs.site.catalog import home, listing, proofs
from modeldocs.site.model import compared_ports
from modeldocs.site.model import page as model_page
from modeldocs.site.page import Page
from modeldocs.site.pair import page as diff_page
from modeldocs.site.port import page as port_page
from modeldocs.site.preview import document
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import Results

_SCHEMAS = {
    "graph": ir.schema,
    "diff": diff.schema,
    "weights": weights.schema,
    "record": record.schema,
    "preview": document.schema,
    "catalog": listing.schema,
    "model": manifest_file.schema,
}


def pages(
    catalog: Catalog, results: Results, templates: Templates, home_path: str = addresses.HOME
) -> Iterator[Page]:
    """The pages of a catalog and the files that they offer, in a fixed order.

    `home_path` is the path of the catalog's page: a site with a home page of its own has it
    elsewhere.
    """
    compared = {model.id: compared_ports.compare_ports(model, results) for model in catalog.models}
    yield from home.pages(catalog, results, compared, templates, home_path)
    yield from listing.pages(catalog, results, compared)
    for model in catalog.models:
        yield from model_page.pages(catalog, model, results, compared[model.id], templates)
        yield from model_benchmarks.pages(model, results, templates)
        for port in model.ports:
            yield from port_page.pages(model, port, results, compared[model.id], templates)
        for a, b in results.pairs(model):
            yield from diff_page.pages(model, a, b, results, templates)
    yield from benchmarks_page.pages(catalog, results, templates)
    yield from compare_page.pages(catalog, results, compared, templates)
    yield from proofs.pages(catalog, results, compared, templates)
    yield from _schemas(templates)


def _schemas(templates: Templates) -> Iterator[Page]:
    for name, schema in _SCHEMAS.items():
        data = msgspec.json.format(msgspec.json.encode(schema()), indent=2)
        yield Page(path=f"{addresses.SCHEMAS}/{name}.schema.json", content=data)
    yield templates.page(
        f"{addresses.SCHEMAS}/index.md", "schemas", "Schemas", {}, names=list(_SCHEMAS)
    )
