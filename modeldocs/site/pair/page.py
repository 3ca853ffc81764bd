"""The page of a pair of ports, and its diff as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import join

from modeldocs.catalog import Model, Port
from modeldocs.diagram import Drawing
from modeldocs.diff import Diff, encode
from modeldocs.loaders import title
from modeldocs.site import addresses, breadcrumbs
from modeldocs.site.data_file import by_line, script
from modeldocs.site.page import Page
from modeldocs.site.pair import comparison
from modeldocs.site.pair.comparison import Setting
from modeldocs.site.search import terms as search_terms
from modeldocs.site.templating import Templates
from modeldocs.tasks.names import port_name
from modeldocs.tasks.results import Results
from modeldocs.verdict.sentences import Graphs, Names

DATA = "diff.json"
ROWS = "rows.js"
"""The script with all rows of a large comparison."""


def pages(model: Model, a: Port, b: Port, results: Results, templates: Templates) -> Iterator[Page]:
    """The page of a pair; where both ports loaded, also the diff as JSON."""
    here = addresses.pair_folder(model, a, b)
    diff = compared(model, a, b, results)
    parts: dict[str, str] = {}
    if diff is not None:
        graphs, setting = _graphs(model, a, b, results), _setting(model, a, b)
        drawings = [results.drawing(model, port) or Drawing() for port in (a, b)]
        parts = comparison.parts(diff, graphs, setting, templates, drawings)
        rows = comparison.all_rows(diff, graphs, setting, templates)
        if rows:
            yield Page(path=join(here, ROWS), content=script(rows))
        yield Page(path=join(here, DATA), content=by_line(encode(diff)))
    parts["bar"] = breadcrumbs.of_pair(model, a, b, results.pairs(model), templates)
    ports = [
        (
            port,
            title(port.framework),
            addresses.link(here, addresses.port_folder(model, port), "index.md"),
        )
        for port in (a, b)
    ]
    yield templates.page(
        join(here, "index.md"),
        "diff",
        f"{model.title}: {a.name} vs {b.name}",
        parts,
        terms=search_terms.of_diff(model, diff),
        model=model,
        ports=ports,
        compared=diff is not None,
    )


def compared(model: Model, a: Port, b: Port, results: Results) -> Diff | None:
    """The diff of a pair with its parity, as pages show it; None where a port did not load."""
    diff = results.diff(model, a, b)
    return comparison.with_parity(diff, results.parity(model, a, b)) if diff is not None else None


def names(model: Model, ports: tuple[Port, Port], results: Results) -> Names:
    """The names of both graphs' inputs and layers, by id."""
    first, second = _graphs(model, *ports, results)
    return first.names(), second.names()


def _graphs(model: Model, a: Port, b: Port, results: Results) -> Graphs:
    first, second = (results.graph(model, port) for port in (a, b))
    assert first is not None and second is not None
    return first, second


def _setting(model: Model, a: Port, b: Port) -> Setting:
    """Names and links of the page of a pair."""
    here = addresses.pair_folder(model, a, b)
    first, second = (addresses.link(here, addresses.port_folder(model, port)) for port in (a, b))
    return Setting(
        names=(a.name, b.name),
        sources=(port_name(model, a), port_name(model, b)),
        links=(first, second),
        json=DATA,
        rows=ROWS,
    )
