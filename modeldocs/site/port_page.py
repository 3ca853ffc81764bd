"""A port's page: facts, diagram, layers, operators, parameters, source, and its downloads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import join

import msgspec

from modeldocs.catalog import RECORDS, Model, Port
from modeldocs.diagram import Drawing
from modeldocs.ir import LayerGraph, encode
from modeldocs.loaders import isolated, loader, title
from modeldocs.site import (
    addresses,
    bar,
    diff_page,
    layer_table,
    overview,
    records,
    search_terms,
    source,
    verdict,
)
from modeldocs.site.census import modules, operators
from modeldocs.site.page import Page
from modeldocs.site.templating import Link, Templates
from modeldocs.tasks.load import Load
from modeldocs.tasks.names import pairs, port_name
from modeldocs.tasks.results import Results

SourceFile = tuple[str, list[str]]
"""Name of a file, and its lines as highlighted HTML."""


def pages(model: Model, port: Port, results: Results, templates: Templates) -> Iterator[Page]:
    """A port's page, and its graph as files in each format."""
    writer = _Writer(model, port, results, templates)
    files = list(writer.downloads())
    names = [file.path.rpartition("/")[2] for file in files]
    parts = writer.parts()
    parts["downloads"] = templates.html("downloads", names=names) if names else ""
    parts["bar"] = bar.of_port(model, port, templates)
    yield templates.page(
        join(writer.here, "index.md"),
        "port",
        heading(model, port),
        parts,
        terms=search_terms.of_port(writer.graph) if writer.graph else "",
        model=model,
        port=port,
        description=writer.description(),
        architecture=writer.drawing.description if writer.drawing else "",
        failed=writer.loaded.failure is not None,
        disagrees=writer.disagrees,
    )
    yield from files
    yield from writer.level_files()


def heading(model: Model, port: Port) -> str:
    """`ResNet-50 in Caffe`, with the port's name where the model has several of the framework."""
    text = f"{model.title} in {title(port.framework)}"
    is_only = sum(one.framework == port.framework for one in model.ports) == 1
    return text if is_only else f"{text} ({port.name})"


@dataclass
class _Writer:
    """Writes the parts of one port's page."""

    model: Model
    port: Port
    results: Results
    templates: Templates

    def __post_init__(self) -> None:
        self.here = addresses.port_folder(self.model, self.port)
        self.loaded: Load = self.results.loaded(self.model, self.port)
        self.graph = self.results.graph(self.model, self.port)
        self.drawing: Drawing | None = self.results.drawing(self.model, self.port)
        self.levels = self.drawing.levels if self.drawing is not None else ()
        self.sources: list[SourceFile] = list(self._sources())

    def parts(self) -> dict[str, str]:
        """HTML of each part; empty where there is nothing to show."""
        html, loaded = self.templates.html, self.loaded
        parts = {
            "failure": html("failures", failures=[loaded.failure]) if loaded.failure else "",
            "printed": html("printed", text=loaded.printed) if loaded.printed.strip() else "",
            "source": html("source", files=self.sources, anchor=source.anchor)
            if self.sources
            else "",
        }
        if self.graph is not None:
            parts |= self._graph_parts(self.graph)
        parts["proof"] = self._proof()
        return parts | self._record_parts() | {"diffs": self._diffs()}

    def description(self) -> str:
        """What the page tells, in one line: its heading, and the architecture."""
        text = self.drawing.description if self.drawing is not None else ""
        return f"{heading(self.model, self.port)}: {text}" if text else ""

    def _graph_parts(self, graph: LayerGraph) -> dict[str, str]:
        html = self.templates.html
        numbers = {name: index for index, (name, _) in enumerate(self.sources, start=1)}
        return {
            "facts": html("facts", graph=graph, port=self.port, framework=self._version()),
            "architecture": overview.html(self.levels, self.templates),
            "layers": layer_table.html(graph, self.drawing, numbers, self.templates),
            "operators": html("operators", rows=operators(graph)),
            "modules": html("modules", rows=modules(graph)),
            "tensors": html("tensors", graph=graph),
        }

    def _version(self) -> str:
        """The framework and its version, that of its environment if it has one."""
        port = self.port
        environment = isolated.environment(port.framework, port.request)
        if environment is None:
            version = self.loaded.software.get(loader(port.framework).distribution or "")
        else:
            names = (port.framework, f"{port.framework}-cpu")
            version = next(filter(None, map(environment.version, names)), None)
        return f"{title(port.framework)} {version}" if version else title(port.framework)

    @property
    def disagrees(self) -> bool:
        """Whether a proof found that the framework computes something else."""
        proof = self.results.proof(self.model, self.port)
        return proof is not None and proof.disagreement is not None

    def _proof(self) -> str:
        proof = self.results.proof(self.model, self.port)
        href = addresses.link(self.here, addresses.PROOFS)
        return self.templates.html("proof", proof=proof, href=href) if proof else ""

    def _record_parts(self) -> dict[str, str]:
        recordings = [
            item
            for item in self.results.records.get(self.model.id, [])
            if item.record is not None and item.record.model.port == self.port.name
        ]
        folder = addresses.link(self.here, addresses.model_folder(self.model), RECORDS)
        panel = self.results.panel(port_name(self.model, self.port))
        return {
            "records": records.section(recordings, panel, self.templates, folder),
            "profile": records.profile(recordings, panel, self.templates),
        }

    def _diffs(self) -> str:
        rows = []
        for a, b in pairs(self.model, self.model.ports):
            if self.port.name in (a.name, b.name):
                other = b if a.name == self.port.name else a
                href = addresses.link(self.here, addresses.pair_folder(self.model, a, b))
                diff = diff_page.compared(self.model, a, b, self.results)
                badge = (verdict.status(diff), verdict.word(diff)) if diff else None
                rows.append((Link(text=other.name, href=href), badge))
        return self.templates.html("diffs", rows=rows) if rows else ""

    def _sources(self) -> Iterator[SourceFile]:
        """The text files in the model's folder that loading read."""
        folder = f"{self.model.folder.rpartition('/')[2]}/"
        for path, digest in sorted(self.loaded.read.items()):
            data = self.results.store.read_object(digest) if path.startswith(folder) else None
            if data is not None:
                name = path.removeprefix(folder)
                yield name, source.lines(name, data.decode("utf-8", "replace"))

    def downloads(self) -> Iterator[Page]:
        """The graph as ONNX, JSON and CSV, its drawing as SVG and DOT."""
        if self.graph is None:
            return
        yield Page(
            path=join(self.here, "model.onnx"), content=self.results.onnx(self.model, self.port)
        )
        pretty = msgspec.json.format(encode(self.graph), indent=1)
        yield Page(path=join(self.here, "graph.json"), content=pretty)
        table = layer_table.csv_bytes(self.graph)
        yield Page(path=join(self.here, "layers.csv"), content=table)
        drawing = self.drawing or Drawing()
        if drawing.svg:
            yield _svg_file(join(self.here, "diagram.svg"), drawing.svg)
        if drawing.dot:
            yield Page(path=join(self.here, "diagram.dot"), content=drawing.dot.encode("utf-8"))

    def level_files(self) -> Iterator[Page]:
        """The drawing of each level below the overview."""
        for level in self.levels[1:]:
            yield _svg_file(join(self.here, "levels", f"{level.id}.svg"), level.svg)


def _svg_file(path: str, svg: str) -> Page:
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}'
    return Page(path=path, content=text.encode("utf-8"))
