"""The pages of a preview: all that a change does, and each port before and after."""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs.catalog import Model, Port
from modeldocs.diagram import Drawing
from modeldocs.diagram.thumbnail import thumbnail
from modeldocs.loaders import title
from modeldocs.site import addresses, breadcrumbs
from modeldocs.site.page import Page
from modeldocs.site.pair import comparison
from modeldocs.site.pair.comparison import Setting
from modeldocs.site.preview import document, report, rows
from modeldocs.site.preview.document import PortChange, Preview
from modeldocs.site.preview.sides import Sides
from modeldocs.site.templating import Templates

DATA = f"{addresses.CHANGES}/diff.json"
THUMBNAILS = ("before.svg", "after.svg")
"""Pictures beside a port's page: its profile on the base and on the head."""

HOME = f"{addresses.CHANGES}/index.md"


def pages(preview: Preview, sides: Sides, templates: Templates) -> Iterator[Page]:
    """The page of all changes with its data, and one of each port that changed."""
    yield Page(path=DATA, content=document.encode(preview))
    yield templates.page(
        HOME,
        "changes",
        "Changes",
        {
            "bar": breadcrumbs.of_changes(templates),
            "table": templates.html("changed_ports", rows=rows.rows(preview))
            if preview.ports
            else "",
        },
        preview=preview,
        headline=rows.headline(preview),
        models=[(rows.model(one), rows.mistakes(one)) for one in preview.models],
        families=[rows.family(one) for one in preview.families],
        records=[rows.record(one) for one in preview.records],
    )
    for change in preview.ports:
        old, new = sides.before.port(change.name), sides.after.port(change.name)
        if change.kind == "changed" and old is not None and new is not None:
            thumbnails = list(_thumbnails(old, new, sides))
            yield _page(change, old, new, sides, templates, len(thumbnails) == len(THUMBNAILS))
            yield from thumbnails


def _page(
    change: PortChange,
    old: tuple[Model, Port],
    new: tuple[Model, Port],
    sides: Sides,
    templates: Templates,
    has_thumbnails: bool,
) -> Page:
    model, port = new
    here = addresses.change_folder(model.id, port.name)
    parts = _compared(change, old, new, sides, templates)
    parts["bar"] = breadcrumbs.of_change(model, port, templates)
    failures = (
        (word, state.failure, state.machine)
        for word, state in (("base", change.before), ("head", change.after))
        if state is not None and state.failure
    )
    return templates.page(
        f"{here}/index.md",
        "change",
        f"{model.title}: {port.name}, before and after",
        parts,
        model=model,
        port=port,
        framework=title(port.framework),
        link=addresses.link(here, addresses.port_folder(model, port), "index.md"),
        base=sides.before.revision,
        head=sides.after.revision,
        failures=list(failures),
        proof=rows.proof(change),
        thumbnails=THUMBNAILS if has_thumbnails else (),
        why=change.after.why if change.after is not None else "",
    )


def _thumbnails(old: tuple[Model, Port], new: tuple[Model, Port], sides: Sides) -> Iterator[Page]:
    """The profiles of a port on both sides; only of a side on which it loads."""
    here = addresses.change_folder(new[0].id, new[1].name)
    graphs = sides.before.results.graph(*old), sides.after.results.graph(*new)
    for name, graph in zip(THUMBNAILS, graphs, strict=True):
        if graph is not None:
            yield Page(path=f"{here}/{name}", content=thumbnail(graph).encode())


def _compared(
    change: PortChange,
    old: tuple[Model, Port],
    new: tuple[Model, Port],
    sides: Sides,
    templates: Templates,
) -> dict[str, str]:
    """The parts of the comparison; none where one side did not load."""
    diff = report.port_diff(change.name, sides.across)
    before, after = sides.before.results, sides.after.results
    a, b = before.graph(*old), after.graph(*new)
    if diff is None or a is None or b is None:
        return {}
    drawings = [before.drawing(*old) or Drawing(), after.drawing(*new) or Drawing()]
    here = addresses.change_folder(change.model, change.port)
    link = addresses.link(here, addresses.port_folder(*new))
    setting = Setting(names=("base", "head"), links=("", link))
    return comparison.parts(diff, (a, b), setting, templates, drawings)
