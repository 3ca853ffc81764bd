"""The catalog's page: a table of all models, the same as `catalog.json`, and thumbnails."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, join

import msgspec

from modeldocs import families, loaders
from modeldocs.catalog import Catalog, Model
from modeldocs.diagram.thumbnail import thumbnail
from modeldocs.ir import LayerGraph
from modeldocs.proof import count_verified
from modeldocs.site import addresses, diff_page
from modeldocs.site.page import Page
from modeldocs.site.templating import Link, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.names import pairs
from modeldocs.tasks.results import Results


class PortCell(Struct, frozen=True):
    """A port in the catalog's table: its link, its framework, and whether it failed to load."""

    link: Link
    framework: str
    failed: bool
    verdict: str = ""
    """The verdict of its proof; empty where it was not proven."""


class Verdicts(Struct, frozen=True):
    """The number of a model's pairs whose verdict is of one step, which is given by its id."""

    step: str
    count: int


class Row(Struct, frozen=True):
    """A model in the catalog's table. Figures are those of its reference port, else the first."""

    id: str
    title: str
    href: str
    thumbnail: str
    task: str
    tags: tuple[str, ...]
    ports: tuple[PortCell, ...]
    layers: int | None
    parameters: int | None
    macs: int | None
    verdicts: tuple[Verdicts, ...]
    records: int
    failures: int


def pages(catalog: Catalog, results: Results, templates: Templates, path: str) -> Iterator[Page]:
    """The catalog's page, thumbnails, and the catalog as JSON."""
    folder = dirname(path)
    rows = [row(model, results, folder) for model in catalog.models]
    tasks = sorted({row.task for row in rows if row.task})
    frameworks = sorted({cell.framework for row in rows for cell in row.ports})
    parts = {"catalog": templates.html("catalog", rows=rows, tasks=tasks, frameworks=frameworks)}
    yield templates.page(
        path,
        "home",
        "Catalog",
        parts,
        rows=rows,
        ports=sum(len(row.ports) for row in rows),
        failures=sum(row.failures for row in rows),
        verified=sum(cell.verdict == "verified" for row in rows for cell in row.ports),
        against=count_verified(
            results.proof(model, port) for model in catalog.models for port in model.ports
        ),
        proofs=addresses.link(folder, addresses.PROOFS, "index.md"),
        compare=addresses.link(folder, addresses.COMPARE, "index.md"),
    )
    for model in catalog.models:
        graph = representative(model, results)
        if graph is not None:
            file = join(addresses.model_folder(model), "thumbnail.svg")
            yield Page(path=file, content=thumbnail(graph).encode())
    data = msgspec.json.format(msgspec.json.encode(rows), indent=2)
    yield Page(path=join(folder, "catalog.json"), content=data)


def representative(model: Model, results: Results) -> LayerGraph | None:
    """The graph whose figures stand for a model: its reference port's, else the first loaded."""
    ports = sorted(model.ports, key=lambda port: port.name != model.manifest.reference)
    return next((graph for port in ports if (graph := results.graph(model, port))), None)


def row(model: Model, results: Results, folder: str) -> Row:
    """A model's row, its links relative to the page in `folder`."""
    graph = representative(model, results)
    totals = graph.totals() if graph else None
    cells = []
    for port in model.ports:
        href = addresses.link(folder, addresses.port_folder(model, port))
        failed = results.loaded(model, port).failure is not None
        proof = results.proof(model, port)
        cells.append(
            PortCell(
                link=Link(text=port.name, href=href),
                framework=loaders.title(port.framework),
                failed=failed,
                verdict=proof.verdict if proof else "",
            )
        )
    records = results.records.get(model.id, [])
    return Row(
        id=model.id,
        title=model.title,
        href=addresses.link(folder, addresses.model_folder(model)),
        thumbnail=addresses.link(folder, addresses.model_folder(model), "thumbnail.svg")
        if graph
        else "",
        task=model.manifest.task or "",
        tags=tuple(model.manifest.tags),
        ports=tuple(cells),
        layers=totals.layers if totals else None,
        parameters=totals.parameters if totals else None,
        macs=totals.macs if totals else None,
        verdicts=_verdicts(model, results),
        records=sum(1 for item in records if item.record),
        failures=len(model.failures)
        + sum(cell.failed for cell in cells)
        + sum(1 for item in records if item.failure),
    )


def _verdicts(model: Model, results: Results) -> tuple[Verdicts, ...]:
    """The number of pairs by step, what matters least first."""
    steps = [diff_page.step(model, a, b, results).id for a, b in pairs(model, model.ports)]
    counts = [(one.id, steps.count(one.id)) for one in families.STEPS]
    return tuple(Verdicts(step=step, count=count) for step, count in counts if count)
