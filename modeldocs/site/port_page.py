"""A port's page: diagram, layers, operators, parameters, source, and the files to take away."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import join

import msgspec

from modeldocs.build import pairs
from modeldocs.catalog import Model, Port
from modeldocs.diagram import Drawing
from modeldocs.graph import LayerGraph, encode
from modeldocs.loaders.isolated import Loaded
from modeldocs.results import Results
from modeldocs.site import addresses, layer_table, records, source
from modeldocs.site.census import modules, operators
from modeldocs.site.home import title
from modeldocs.site.page import Page
from modeldocs.site.templating import Link, Templates


def pages(model: Model, port: Port, results: Results, templates: Templates) -> Iterator[Page]:
    """A port's page, and its graph in every format that is offered."""
    here = addresses.port(model, port)
    loaded, drawing = results.loaded(model, port), results.drawing(model, port)
    files = list(_downloads(here, loaded, drawing))
    sources = _sources(model, loaded, results)
    parts = _parts(model, port, loaded, drawing, results, templates, sources)
    names = [file.path.rpartition("/")[2] for file in files]
    parts["downloads"] = templates.html("downloads", names=names) if names else ""
    yield templates.page(
        join(here, "index.md"), "port", parts, model=model, port=port, framework=title(port.framework),
        up=addresses.between(here, addresses.model(model), "index.md"),
        home=addresses.between(here, "", "index.md"), failed=loaded.failure is not None,
    )
    yield from files


def _parts(
    model: Model, port: Port, loaded: Loaded, drawing: Drawing | None, results: Results,
    templates: Templates, sources: list[tuple[str, list[str]]],
) -> dict[str, str]:
    own = [
        item for item in results.records.get(model.id, [])
        if item.record is not None and item.record.model.port == port.name
    ]
    back = addresses.between(addresses.port(model, port), addresses.model(model), "benchmarks")
    parts = {
        "failure": templates.html("failures", failures=[loaded.failure]) if loaded.failure else "",
        "printed": templates.html("printed", text=loaded.printed) if loaded.printed.strip() else "",
        "source": templates.html("source", files=sources, anchor=source.anchor) if sources else "",
        "records": records.section(own, templates, back),
        "profile": records.profile(own, templates),
    }
    if loaded.graph is not None:
        parts |= _graph_parts(model, port, loaded, loaded.graph, drawing, templates, sources)
        parts["diffs"] = _diffs(model, port, results, templates)
    return parts


def _graph_parts(
    model: Model, port: Port, loaded: Loaded, graph: LayerGraph, drawing: Drawing | None,
    templates: Templates, sources: list[tuple[str, list[str]]],
) -> dict[str, str]:
    numbers = {name: index for index, (name, _) in enumerate(sources, start=1)}
    return {
        "facts": templates.html(
            "facts", graph=graph, loaded=loaded, port=port, framework=title(port.framework)
        ),
        "layers": layer_table.html(graph, drawing, numbers, templates),
        "operators": templates.html("operators", rows=operators(graph)),
        "modules": templates.html("modules", rows=modules(graph)),
        "tensors": templates.html("tensors", graph=graph),
    }


def _diffs(model: Model, port: Port, results: Results, templates: Templates) -> str:
    here, rows = addresses.port(model, port), []
    for a, b in pairs(model, model.ports):
        if port.name in (a.name, b.name):
            other = b if a.name == port.name else a
            href = addresses.between(here, addresses.pair(model, a, b))
            rows.append((Link(text=other.name, href=href), results.diff(model, a, b)))
    return templates.html("diffs", rows=rows) if rows else ""


def _sources(model: Model, loaded: Loaded, results: Results) -> list[tuple[str, list[str]]]:
    """The files that were read in the model's folder and are text, as highlighted lines."""
    found = []
    for path, digest in sorted(loaded.read.items()):
        name = path.removeprefix(f"{model.folder.rpartition('/')[2]}/")
        data = results.store.read_object(digest)
        if name != path and data is not None:
            found.append((name, source.lines(name, data.decode("utf-8", "replace"))))
    return found


def _downloads(here: str, loaded: Loaded, drawing: Drawing | None) -> Iterator[Page]:
    if loaded.graph is None:
        return
    yield Page(path=join(here, "model.onnx"), content=loaded.onnx)
    pretty = msgspec.json.format(encode(loaded.graph), indent=1)
    yield Page(path=join(here, "graph.json"), content=pretty)
    yield Page(path=join(here, "layers.csv"), content=layer_table.csv_bytes(loaded.graph))
    if drawing is not None and drawing.svg:
        head = b'<?xml version="1.0" encoding="UTF-8"?>\n'
        yield Page(path=join(here, "diagram.svg"), content=head + drawing.svg.encode("utf-8"))
    if drawing is not None and drawing.dot:
        yield Page(path=join(here, "diagram.dot"), content=drawing.dot.encode("utf-8"))
