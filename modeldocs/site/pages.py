"""All pages of a site, a pure function of the catalog and its results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from posixpath import dirname
from typing import Any, NamedTuple

import msgspec

from modeldocs import ir
from modeldocs.benchmarks import record
from modeldocs.catalog import Catalog, Model, Port, manifest_file
from modeldocs.diff import schema as diff_schema
from modeldocs.diff import weights
from modeldocs.numeric.proof import count_verified
from modeldocs.site import addresses
from modeldocs.site.benchmarks import catalog_page as benchmarks_page
from modeldocs.site.benchmarks import model_page as model_benchmarks
from modeldocs.site.catalog import compare as compare_page
from modeldocs.site.catalog import edit as edit_page
from modeldocs.site.catalog import home, listing, proofs
from modeldocs.site.catalog.summary import ModelSummary, summarise
from modeldocs.site.catalog.trend import Standing
from modeldocs.site.layers import page as layers_page
from modeldocs.site.model import compared_ports
from modeldocs.site.model import page as model_page
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.page import Page
from modeldocs.site.pair import page as diff_page
from modeldocs.site.port import page as port_page
from modeldocs.site.preview import document
from modeldocs.site.program import page as program_page
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import Results
from modeldocs.verdict import VerdictLevel

_SCHEMAS = {
    "graph": ir.schema,
    "diff": diff_schema,
    "weights": weights.schema,
    "record": record.schema,
    "preview": document.schema,
    "catalog": listing.schema,
    "model": manifest_file.schema,
}


def pages(
    catalog: Catalog,
    results: Results,
    templates: Templates,
    home_path: str = addresses.HOME,
    standings: Sequence[Standing] = (),
) -> Iterator[Page]:
    """The pages of a catalog and the files that they offer, in a fixed order.

    `standings` are the catalog's past. `home_path` is the path of the catalog's page: a site with a
    home page of its own has it elsewhere.
    """
    compared = {model.id: compared_ports.compare_ports(model, results) for model in catalog.models}
    folder = dirname(home_path)
    summaries = [summarise(one, results, compared[one.id], folder) for one in catalog.models]
    yield from of_catalog(catalog, results, summaries, templates, home_path, standings)
    for model in catalog.models:
        yield from of_model(catalog, model, results, compared[model.id], templates)


def prepare(templates: Templates) -> None:
    """Do what the first pages of a process would have to wait for."""
    templates.compile()
    for name in _SCHEMAS:
        _schema(name)


def of_catalog(
    catalog: Catalog,
    results: Results,
    summaries: Sequence[ModelSummary],
    templates: Templates,
    home_path: str,
    standings: Sequence[Standing],
) -> Iterator[Page]:
    """The pages of the whole catalog, that of the catalog itself first."""
    proven = [one.proofs for one in summaries]
    against = count_verified(row.proof for one in proven for row in one.proofs)
    rows = [one.row for one in summaries]
    yield from home.pages(rows, against, templates, home_path, standings)
    yield from listing.pages(one.listed for one in summaries)
    yield from benchmarks_page.pages(catalog, results, templates)
    groups, pairs = [one.choices for one in summaries], [one.pairs for one in summaries]
    yield from compare_page.pages(groups, pairs, Path(catalog.root).name, templates)
    yield from edit_page.pages(groups, Path(catalog.root).name, templates)
    yield from proofs.pages(proven, templates, standings)
    yield from layers_page.pages([one.layers for one in summaries], templates)
    yield from _schemas(templates)


def of_model(
    catalog: Catalog, model: Model, results: Results, compared: ComparedPorts, templates: Templates
) -> Iterator[Page]:
    """The pages of a model, of its ports, programs and pairs; `catalog` has its neighbours."""
    for chapter in chapters(catalog, model, results, compared, templates):
        yield from chapter.make(results)


class PageGroup(NamedTuple):
    """Pages made together: those of a model itself, of one of its ports, programs or pairs.

    `name` is their folder, empty for a model itself. `make` makes them from results. What they
    depend on besides those that it reads is in `depends`; pages of a model itself, which have None,
    depend on all that is known of it.
    """

    name: str
    make: Callable[[Results], Iterator[Page]]
    depends: tuple[Any, ...] | None = None


def chapters(
    catalog: Catalog, model: Model, results: Results, compared: ComparedPorts, templates: Templates
) -> Iterator[PageGroup]:
    """The chapters of a model's pages, in their order."""
    pairs = results.pairs(model)
    names, records = [(a.name, b.name) for a, b in pairs], results.records.get(model.id)
    histories = results.histories.get(model.id, {})
    yield PageGroup("", partial(_of_model_itself, catalog, model, compared, templates))
    for port in model.ports:
        steps = compared.steps(port.name)
        yield PageGroup(
            name=addresses.port_folder(model, port),
            make=partial(_of_port, model, port, steps, templates),
            depends=(
                *(model, names, records, histories.get(port.name)),
                sorted((name, steps[name].id) for name in steps),
            ),
        )
    programs = program_page.written(model, results)
    for target in programs:
        yield PageGroup(
            name=addresses.program_folder(model, target),
            make=partial(_of_program, model, target, templates),
            depends=(model, programs),
        )
    for a, b in pairs:
        yield PageGroup(
            name=addresses.pair_folder(model, a, b),
            make=partial(_of_pair, model, a, b, templates),
            depends=(model, names),
        )


def _of_model_itself(
    catalog: Catalog, model: Model, compared: ComparedPorts, templates: Templates, results: Results
) -> Iterator[Page]:
    yield from model_page.pages(catalog, model, results, compared, templates)
    yield from home.thumbnails(model, results)
    yield from model_benchmarks.pages(model, results, templates)


def _of_port(
    model: Model,
    port: Port,
    steps: Mapping[str, VerdictLevel],
    templates: Templates,
    results: Results,
) -> Iterator[Page]:
    return port_page.pages(model, port, results, steps, templates)


def _of_program(
    model: Model, target: str, templates: Templates, results: Results
) -> Iterator[Page]:
    return program_page.pages(model, target, results, templates)


def _of_pair(
    model: Model, a: Port, b: Port, templates: Templates, results: Results
) -> Iterator[Page]:
    return diff_page.pages(model, a, b, results, templates)


@functools.cache
def _schema(name: str) -> bytes:
    return msgspec.json.format(msgspec.json.encode(_SCHEMAS[name]()), indent=2)


def _schemas(templates: Templates) -> Iterator[Page]:
    for name in _SCHEMAS:
        yield Page(path=f"{addresses.SCHEMAS}/{name}.schema.json", content=_schema(name))
    yield templates.page(
        f"{addresses.SCHEMAS}/index.md", "schemas", "Schemas", {}, names=list(_SCHEMAS)
    )
