"""A port's page: facts, diagram, layers, operators, parameters, source."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from posixpath import join

from modeldocs.catalog import Model, Port
from modeldocs.diagram import Drawing
from modeldocs.ir import LayerGraph
from modeldocs.loaders import title
from modeldocs.site import addresses, breadcrumbs, overview
from modeldocs.site.benchmarks import sections
from modeldocs.site.page import Page
from modeldocs.site.port import census, files, roofline, source
from modeldocs.site.port.heat import Heat
from modeldocs.site.port.layer_section import LayerSection
from modeldocs.site.port.timing import timing
from modeldocs.site.port.usage import usage
from modeldocs.site.search import terms as search_terms
from modeldocs.site.templating import PageLink, Templates
from modeldocs.tasks.load import Load
from modeldocs.tasks.names import port_name
from modeldocs.tasks.results import Results
from modeldocs.verdict import NOT_LOADED, VerdictLevel


def pages(
    model: Model,
    port: Port,
    results: Results,
    steps: Mapping[str, VerdictLevel],
    templates: Templates,
) -> Iterator[Page]:
    """A port's page, and its graph as files in each format.

    `steps` are the verdicts on it and the other ports that it was compared with, by their names.
    """
    writer = _PortPageWriter(model, port, results, steps, templates)
    downloads = list(files.downloads(writer.here, writer.table, writer.drawing, writer.onnx()))
    names = [file.path.rpartition("/")[2] for file in downloads]
    parts = writer.parts()
    parts["downloads"] = templates.html("downloads", names=names) if names else ""
    parts["usage"] = writer.usage(names)
    parts["bar"] = breadcrumbs.of_port(model, port, templates)
    yield templates.page(
        join(writer.here, "index.md"),
        "port",
        heading(model, port),
        parts,
        terms=search_terms.of_port(model, port, writer.graph),
        model=model,
        framework=title(port.framework),
        port=port,
        description=writer.description(),
        architecture=writer.drawing.description if writer.drawing else "",
        failed=writer.loaded.failure is not None,
        disagrees=writer.disagrees,
    )
    yield from downloads
    yield from files.levels(writer.here, writer.levels)
    yield from files.outlines(writer.here, writer.drawing)
    if writer.table is not None:
        yield from files.tables(writer.here, writer.table)
        yield from files.figures(writer.here, writer.heat())
        yield from files.rooflines(writer.here, writer.roofline())
    yield from files.sources(writer.here, writer.sources, templates)


def heading(model: Model, port: Port) -> str:
    """`ResNet-50 in Caffe`, with the port's name where the model has several of the framework."""
    text = f"{model.title} in {title(port.framework)}"
    is_only = sum(one.framework == port.framework for one in model.ports) == 1
    return text if is_only else f"{text} ({port.name})"


@dataclass
class _PortPageWriter:
    """Writes the parts of one port's page."""

    model: Model
    port: Port
    results: Results
    steps: Mapping[str, VerdictLevel]
    templates: Templates

    def __post_init__(self) -> None:
        self.here = addresses.port_folder(self.model, self.port)
        self.loaded: Load = self.results.loaded(self.model, self.port)
        self.graph = self.results.graph(self.model, self.port)
        self.drawing: Drawing | None = self.results.drawing(self.model, self.port)
        self.levels = self.drawing.levels if self.drawing is not None else ()
        self.sources = source.sources(dict(self._texts()))
        self.timing = self.table = None
        if self.graph is not None:
            self.timing = timing(self.model, self.port, self.graph, self.results, self.here)
            self.table = LayerSection(
                self.graph, self.sources, self.levels, self.templates, self.timing
            )

    def parts(self) -> dict[str, str]:
        """HTML of each part; empty where there is nothing to show."""
        html, loaded = self.templates.html, self.loaded
        parts = {
            "failure": html("failures", failures=[loaded.failure]) if loaded.failure else "",
            "printed": html("printed", text=loaded.printed) if loaded.printed.strip() else "",
            "source": html("source", files=self.sources.files, anchor=source.anchor),
        }
        if self.graph is not None:
            parts |= self._graph_parts(self.graph)
        parts["proof"] = self._proof()
        return parts | self._record_parts() | {"diffs": self._diffs(), "history": self._history()}

    def description(self) -> str:
        """What the page tells, in one line: its heading, and the architecture."""
        text = self.drawing.description if self.drawing is not None else ""
        return f"{heading(self.model, self.port)}: {text}" if text else ""

    def _graph_parts(self, graph: LayerGraph) -> dict[str, str]:
        html = self.templates.html
        assert self.table is not None
        facts = self.table.footer
        total, statistics = census.total(graph), facts.totals.buffers != 0
        return {
            "facts": html(
                "facts",
                graph=graph,
                arguments=self.port.request.args,
                framework=self._version(),
                footer=facts,
            ),
            "architecture": overview.html(self.levels, self.templates, drawing=self.drawing),
            "layers": self.table.html(),
            "operators": html(
                "operators", rows=census.operators(graph), total=total, statistics=statistics
            ),
            "modules": html(
                "modules",
                tables=census.tables(graph),
                total=total,
                statistics=statistics,
            ),
            "tensors": html("tensors", graph=graph),
            "roofline": html("roofline") if total.macs else "",
        }

    def usage(self, downloads: Collection[str]) -> str:
        """How to load the port, and to show it elsewhere; empty where it did not load."""
        if self.graph is None:
            return ""
        return self.templates.html(
            "usage",
            source=port_name(self.model, self.port),
            title=heading(self.model, self.port),
            framework=title(self.port.framework),
            load=usage(self.port),
            picture="overview.svg" in downloads,
        )

    def roofline(self) -> dict[str, object]:
        """The work of the layers of a port that loaded."""
        assert self.graph is not None
        return roofline.content(self.graph, self.timing)

    def heat(self) -> Heat:
        """The figures that colour the diagram of a port that loaded."""
        assert self.graph is not None
        return Heat(self.graph, self.levels, self.timing)

    def onnx(self) -> bytes:
        """The port's ONNX, empty where it did not load."""
        return self.results.onnx(self.model, self.port) if self.graph is not None else b""

    def _version(self) -> str:
        """The framework and the version that the port was loaded with."""
        words = (title(self.port.framework), self.loaded.version)
        return " ".join(word for word in words if word)

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
        panel = self.results.panel(port_name(self.model, self.port))
        return {
            "records": sections.summary(
                self.model, recordings, self.results, self.templates, self.here
            ),
            "profile": sections.profile(recordings, panel, self.templates),
        }

    def _history(self) -> str:
        found = self.results.history(self.model, self.port)
        if found is None or not found.versions:
            return ""
        name = port_name(self.model, self.port)
        return self.templates.html("history", history=found, source=name)

    def _diffs(self) -> str:
        rows = []
        for a, b in self.results.pairs(self.model):
            if self.port.name in (a.name, b.name):
                other = b if a.name == self.port.name else a
                href = addresses.link(self.here, addresses.pair_folder(self.model, a, b))
                step = self.steps.get(other.name, NOT_LOADED)
                rows.append((PageLink(text=other.name, href=href), step))
        missing = len(self.model.ports) - 1 - len(rows)
        if not rows and (not missing or self.graph is None):
            return ""
        href = addresses.link(self.here, addresses.COMPARE)
        compare = f"{href}?a={port_name(self.model, self.port)}"
        return self.templates.html("diffs", rows=rows, missing=missing, compare=compare)

    def _texts(self) -> Iterator[tuple[str, str]]:
        """The text files in the model's folder and in shared ones that loading read, by name."""
        folder = f"{self.model.folder.rpartition('/')[2]}/"
        for shown in (True, False):  # the port's own come first
            for path, digest in sorted(self.loaded.read.items()):
                is_own = path.startswith(folder)
                if is_own is shown and (is_own or path.startswith("_")):
                    data = self.results.store.read_object(digest)
                    if data is not None:
                        name = path.removeprefix(folder) if is_own else f"../{path}"
                        yield name, data.decode("utf-8", "replace")
