"""The page of a pair of ports, and its diff as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import join

import msgspec

from modeldocs import diff as engine
from modeldocs.catalog import Model, Port
from modeldocs.diff import Diff
from modeldocs.loaders import title
from modeldocs.site import addresses, bar, comparison, search_terms
from modeldocs.site.comparison import Setting
from modeldocs.site.page import Page
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import Results

DATA = "diff.json"


def pages(model: Model, a: Port, b: Port, results: Results, templates: Templates) -> Iterator[Page]:
    """The page of a pair; where both ports loaded, also the diff as JSON."""
    here = addresses.pair_folder(model, a, b)
    diff = compared(model, a, b, results)
    parts: dict[str, str] = {}
    if diff is not None:
        parts = _parts(model, a, b, diff, results, templates)
        data = msgspec.json.format(engine.encode(diff), indent=1)
        yield Page(path=join(here, DATA), content=data)
    parts["bar"] = bar.of_pair(model, a, b, templates)
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
        terms=search_terms.of_diff(diff),
        model=model,
        ports=ports,
        compared=diff is not None,
    )


def compared(model: Model, a: Port, b: Port, results: Results) -> Diff | None:
    """The diff of a pair with its parity, as pages show it; None where a port did not load."""
    diff = results.diff(model, a, b)
    return comparison.with_parity(diff, results.parity(model, a, b)) if diff is not None else None


def _parts(
    model: Model, a: Port, b: Port, diff: Diff, results: Results, templates: Templates
) -> dict[str, str]:
    here = addresses.pair_folder(model, a, b)
    first, second = (results.graph(model, port) for port in (a, b))
    assert first is not None and second is not None
    setting = Setting(
        names=(a.name, b.name),
        links=(
            addresses.link(here, addresses.port_folder(model, a)),
            addresses.link(here, addresses.port_folder(model, b)),
        ),
        json=DATA,
    )
    return comparison.parts(diff, (first, second), setting, templates)
