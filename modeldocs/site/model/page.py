"""A model's page: families of its ports, each port against the reference, all pairs, records."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import join

from modeldocs import verdict
from modeldocs.benchmarks import record
from modeldocs.catalog import RECORDS, Catalog, Model, Port
from modeldocs.diagram import Drawing
from modeldocs.errors import Failure
from modeldocs.site import addresses, breadcrumbs, overview
from modeldocs.site.benchmarks import sections
from modeldocs.site.catalog import home, speed
from modeldocs.site.model import badge, every_port, port_rows
from modeldocs.site.model.badge import Badge
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.model.coverage import coverage
from modeldocs.site.page import Page
from modeldocs.site.pair import page as diff_page
from modeldocs.site.program import section
from modeldocs.site.search import terms as search_terms
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks.names import port_name
from modeldocs.tasks.results import Results
from modeldocs.verdict import VerdictLevel, sentences


class MatrixCell(Struct, frozen=True):
    """A pair in the matrix of diffs: its verdict, and the address of its page.

    `numbers` is the error at the end of the two networks, empty where they were not run.
    """

    step: VerdictLevel
    changes: int = 0
    numbers: str = ""
    href: str = ""


def pages(
    catalog: Catalog,
    model: Model,
    results: Results,
    compared: ComparedPorts,
    templates: Templates,
) -> Iterator[Page]:
    """A model's page, its badge, and its records as files."""
    here = addresses.model_folder(model)
    recordings = results.records.get(model.id, [])
    drawn = _drawn(model, results)
    one = badge.badge(model, results)
    rows = port_rows.rows(model, results, compared, here)
    table = every_port.of_model(model, compared, results)
    parts = {
        "bar": breadcrumbs.of_model(catalog, model, templates),
        "card": _card(model, results, templates, here),
        "failures": templates.html("failures", failures=_failures(model, results)),
        "families": _families(model, results, compared, templates, here),
        "architecture": _overview(model, drawn, templates, here),
        "ports": templates.html("ports", rows=rows, compared=compared) if rows else "",
        "programs": section.html(model, results, templates),
        "layers": every_port.html(table, templates),
        **_pairs(model, results, compared, templates, here),
        "records": sections.summary(model, recordings, results, templates, here),
        "badge": _badge(one, templates, here),
    }
    yield templates.page(
        join(here, "index.md"),
        "model",
        model.title,
        parts,
        terms=_terms(model, results),
        model=model,
        manifest=model.manifest,
        compare=_compare(model, here),
        description=model.manifest.summary or (drawn[1].description if drawn else ""),
        architecture=drawn[1].description if drawn else "",
    )
    yield from every_port.files(model, table, templates)
    yield Page(path=join(here, addresses.BADGE), content=badge.svg(one).encode())
    for item in recordings:
        if item.record is not None:
            yield Page(path=join(here, RECORDS, item.file), content=record.encode(item.record))


def _card(model: Model, results: Results, templates: Templates, here: str) -> str:
    """What the model is, and its figures: those of the catalog's page."""
    graph, records = home.representative(model, results), results.records.get(model.id, [])
    return templates.html(
        "card",
        manifest=model.manifest,
        graph=graph,
        totals=graph.totals() if graph else None,
        speed=speed.best(item.record for item in records if item.record),
        benchmarks=addresses.link(here, addresses.benchmarks_folder(model)),
    )


def _badge(one: Badge, templates: Templates, here: str) -> str:
    file = addresses.link(here, "", addresses.LISTING)
    return templates.html("readme_badge", badge=one, markdown=badge.markdown(one), listing=file)


def _compare(model: Model, here: str) -> str:
    """The page that compares any two, with the reference port, else the first one, as A."""
    page = addresses.link(here, addresses.COMPARE, "index.md")
    ports = model.reference_first()
    return f"{page}?a={port_name(model, ports[0])}" if ports else page


def _terms(model: Model, results: Results) -> str:
    graphs = [graph for port in model.ports if (graph := results.graph(model, port))]
    diffs = [diff for a, b in results.pairs(model) if (diff := results.diff(model, a, b))]
    return search_terms.of_model(model, graphs, diffs)


def _drawn(model: Model, results: Results) -> tuple[Port, Drawing] | None:
    """The reference port and its drawing, else the first port that was drawn."""
    for port in model.reference_first():
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


def _families(
    model: Model, results: Results, compared: ComparedPorts, templates: Templates, here: str
) -> str:
    """The families and their tree; empty for a model of fewer than two ports."""
    if sum(len(family.ports) for family in compared.families) < 2:
        return ""
    links = {
        port.name: addresses.link(here, addresses.port_folder(model, port)) for port in model.ports
    }
    return templates.html(
        "families",
        compared=compared,
        links=links,
        diffs=_diff_links(model, results, here),
        model=model,
        every=len(model.ports),
    )


def _pairs(
    model: Model, results: Results, compared: ComparedPorts, templates: Templates, here: str
) -> dict[str, str]:
    """The verdicts on pairs and whose weights a port can take over: as matrices of all pairs, or
    as one table where not all are compared.
    """
    if len(model.ports) < 2:
        return {}
    links = _diff_links(model, results, here)
    covered = coverage(model, results, compared.reference)
    if covered.missing:
        table = templates.html(
            "compared_pairs",
            covered=covered,
            pairs=compared.pairs,
            links=links,
            model=model,
            compare=addresses.link(here, addresses.COMPARE),
        )
        return {"matrix": table}
    return _matrices(model, results, compared, templates, links)


def _matrices(
    model: Model,
    results: Results,
    compared: ComparedPorts,
    templates: Templates,
    links: dict[frozenset[str], str],
) -> dict[str, str]:
    """The matrix of all pairs, and whose weights a port can take over.

    Ports that did not load have pairs only where the policy of the model is to compare all.
    """
    paired = {port.name for pair in results.pairs(model) for port in pair}
    if not paired:
        return {}
    names = compared.ordered(port.name for port in model.ports if port.name in paired)
    cells: dict[str, dict[str, MatrixCell]] = {name: {} for name in names}
    for a, b in results.pairs(model):
        href = links[frozenset((a.name, b.name))]
        diff = diff_page.compared(model, a, b, results)
        pair = compared.pair(a.name, b.name)
        cells[a.name][b.name] = cells[b.name][a.name] = MatrixCell(
            step=pair.step if pair is not None else verdict.NOT_LOADED,
            changes=len(diff.changes) if diff is not None else 0,
            numbers=sentences.numbers(diff) if diff is not None else "",
            href=href,
        )
    taken = {(p.a, p.b): p.ahead for p in compared.pairs} | {
        (p.b, p.a): p.back for p in compared.pairs
    }
    loaded = [name for name in names if any(name in p.names for p in compared.pairs)]
    return {
        "matrix": templates.html("matrix", names=names, cells=cells),
        "takeovers": templates.html("takeovers", names=loaded, taken=taken, links=links)
        if loaded
        else "",
    }


def _diff_links(model: Model, results: Results, here: str) -> dict[frozenset[str], str]:
    """The address of each pair's page."""
    return {
        frozenset((a.name, b.name)): addresses.link(here, addresses.pair_folder(model, a, b))
        for a, b in results.pairs(model)
    }
