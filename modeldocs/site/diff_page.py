"""A diff's page: the verdict, what changed in order of consequence, both networks side by side."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import join

import msgspec

from modeldocs import diff as engine
from modeldocs.catalog import Model, Port
from modeldocs.diff import Diff
from modeldocs.loaders import title
from modeldocs.site import addresses, comparison
from modeldocs.site.comparison import Setting
from modeldocs.site.page import Page
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import Results

DATA = "diff.json"


def pages(model: Model, a: Port, b: Port, results: Results, templates: Templates) -> Iterator[Page]:
    """The page of a pair, and the diff as JSON where both ports loaded."""
    here = addresses.pair(model, a, b)
    diff = compared(model, a, b, results)
    parts: dict[str, str] = {}
    if diff is not None:
        parts = _parts(model, a, b, diff, results, templates)
        data = msgspec.json.format(engine.encode(diff), indent=1)
        yield Page(path=join(here, DATA), content=data)
    ports = [
        (
            port,
            title(port.framework),
            addresses.between(here, addresses.port(model, port), "index.md"),
        )
        for port in (a, b)
    ]
    yield templates.page(
        join(here, "index.md"),
        "diff",
        f"{model.title}: {a.name} vs {b.name}",
        parts,
        model=model,
        ports=ports,
        compared=diff is not None,
        up=addresses.between(here, addresses.model(model), "index.md"),
        home=addresses.between(here, "", "index.md"),
    )


def compared(model: Model, a: Port, b: Port, results: Results) -> Diff | None:
    """The diff of a pair with its parity, as pages show it; None where one was not loaded."""
    diff = results.diff(model, a, b)
    return comparison.with_parity(diff, results.parity(model, a, b)) if diff is not None else None


def _parts(
    model: Model, a: Port, b: Port, diff: Diff, results: Results, templates: Templates
) -> dict[str, str]:
    here = addresses.pair(model, a, b)
    first, second = (results.graph(model, port) for port in (a, b))
    assert first is not None and second is not None
    setting = Setting(
        names=(a.name, b.name),
        links=(
            addresses.between(here, addresses.port(model, a)),
            addresses.between(here, addresses.port(model, b)),
        ),
        json=DATA,
    )
    return comparison.parts(diff, (first, second), setting, templates)
