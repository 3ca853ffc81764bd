"""A model's page: its card, ports, matrix of diffs and benchmark records."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import join

from modeldocs.benchmarks import record
from modeldocs.catalog import RECORDS, Model, Port
from modeldocs.diagram import Drawing
from modeldocs.diff import Diff
from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph
from modeldocs.loaders import title
from modeldocs.proof import Proof
from modeldocs.site import addresses, bar, diff_page, overview, records, search_terms, verdict
from modeldocs.site.page import Page
from modeldocs.site.templating import Link, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.names import pairs
from modeldocs.tasks.results import Results


class PortRow(Struct, frozen=True):
    """A port in the model's table of ports."""

    link: Link
    framework: str
    reference: bool
    notes: str
    graph: LayerGraph | None
    failure: Failure | None
    proof: Proof | None = None


class Cell(Struct, frozen=True):
    """A pair in the matrix of diffs: its verdict, and the address of its page.

    `status` decides the colour. `numbers` is the error at the end of the two networks, empty where
    they were not run.
    """

    word: str = "not compared"
    status: str = "not-compared"
    changes: int = 0
    numbers: str = ""
    href: str = ""


def pages(model: Model, results: Results, templates: Templates) -> Iterator[Page]:
    """A model's page, and its records as files."""
    here = addresses.model_folder(model)
    recordings = results.records.get(model.id, [])
    drawn = _drawn(model, results)
    rows = [_port_row(model, port, results, here) for port in model.ports]
    parts = {
        "bar": bar.of_model(model, templates),
        "card": templates.html("card", model=model, manifest=model.manifest),
        "failures": templates.html("failures", failures=_failures(model, results)),
        "architecture": _overview(model, drawn, templates, here),
        "ports": templates.html("ports", rows=rows) if rows else "",
        "matrix": _matrix(model, results, templates, here),
        "records": records.section(recordings, results.panel(model.id), templates, RECORDS),
    }
    yield templates.page(
        join(here, "index.md"),
        "model",
        model.title,
        parts,
        terms=_terms(model, results),
        model=model,
        manifest=model.manifest,
        description=model.manifest.summary or (drawn[1].description if drawn else ""),
        architecture=drawn[1].description if drawn else "",
    )
    for item in recordings:
        if item.record is not None:
            yield Page(path=join(here, RECORDS, item.file), content=record.encode(item.record))


def _terms(model: Model, results: Results) -> str:
    graphs = [graph for port in model.ports if (graph := results.graph(model, port))]
    diffs = [diff for a, b in pairs(model, model.ports) if (diff := results.diff(model, a, b))]
    return search_terms.of_model(model, graphs, diffs)


def _drawn(model: Model, results: Results) -> tuple[Port, Drawing] | None:
    """The reference port and its drawing, else the first port that was drawn."""
    ports = sorted(model.ports, key=lambda port: port.name != model.manifest.reference)
    for port in ports:
        drawing = results.drawing(model, port)
        if drawing is not None and drawing.levels:
            return port, drawing
    return None


def _overview(
    model: Model, drawn: tuple[Port, Drawing] | None, templates: Templates, here: str
) -> str:
    if drawn is None:
        return ""
    port, drawing = drawn
    folder = addresses.link(here, addresses.port_folder(model, port), "")
    return overview.html(drawing.levels, templates, folder)


def _failures(model: Model, results: Results) -> list[Failure]:
    recordings = results.records.get(model.id, [])
    return [*model.failures, *(item.failure for item in recordings if item.failure)]


def _port_row(model: Model, port: Port, results: Results, here: str) -> PortRow:
    loaded = results.loaded(model, port)
    return PortRow(
        link=Link(text=port.name, href=addresses.link(here, addresses.port_folder(model, port))),
        framework=title(port.framework),
        reference=port.name == model.manifest.reference,
        notes=port.notes,
        graph=results.graph(model, port),
        failure=loaded.failure,
        proof=results.proof(model, port),
    )


def _matrix(model: Model, results: Results, templates: Templates, here: str) -> str:
    if len(model.ports) < 2:
        return ""
    cells: dict[str, dict[str, Cell]] = {port.name: {} for port in model.ports}
    for a, b in pairs(model, model.ports):
        href = addresses.link(here, addresses.pair_folder(model, a, b))
        cell = _cell(diff_page.compared(model, a, b, results), href)
        cells[a.name][b.name] = cells[b.name][a.name] = cell
    names = [port.name for port in model.ports]
    return templates.html("matrix", names=names, cells=cells)


def _cell(diff: Diff | None, href: str) -> Cell:
    if diff is None:
        return Cell(href=href)
    return Cell(
        word=verdict.word(diff),
        status=verdict.status(diff),
        changes=len(diff.changes),
        numbers=verdict.numbers(diff),
        href=href,
    )
