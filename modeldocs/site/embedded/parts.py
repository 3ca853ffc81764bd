"""What a project's own page can show of the catalog, as HTML with addresses that lead from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from posixpath import join, normpath

from modeldocs import formatting
from modeldocs.catalog import Model, Port
from modeldocs.diagram import Drawing
from modeldocs.diagram.chosen import chosen
from modeldocs.diff import Diff
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.ir import LayerGraph
from modeldocs.site import addresses, overview
from modeldocs.site.build import Built
from modeldocs.site.pair import comparison
from modeldocs.site.pair import page as pair_page
from modeldocs.site.pair.comparison import Setting
from modeldocs.site.port import layer_row
from modeldocs.site.port.layer_columns import COLUMNS
from modeldocs.site.port.report import SHOWN
from modeldocs.site.templating import escape_markdown
from modeldocs.tasks.names import port_name
from modeldocs.verdict import sentences
from modeldocs.verdict.sentences import Graphs

_LINK = re.compile(r'xlink:href="([^"]*)"')
_ID = re.compile(r' id="[^"]*"')

FIGURES: dict[str, Callable[[LayerGraph], str]] = {
    "layers": lambda graph: formatting.exact(len(graph.layers)),
    "parameters": lambda graph: formatting.exact(graph.totals().parameters),
    "macs": lambda graph: formatting.count(graph.totals().macs),
    "activations": lambda graph: formatting.size(graph.totals().activation_bytes),
}
"""Figures of a port by name, as its page spells them."""


@dataclass(frozen=True)
class EmbeddedDiff:
    """Two ports of a model, their diff settled by parity, and their graphs."""

    model: Model
    a: Port
    b: Port
    diff: Diff
    graphs: Graphs


@dataclass(frozen=True)
class Embedded:
    """Parts for a page in a folder of the site; each method is a call that the page may make."""

    built: Built
    folder: str

    def diagram(self, port: str, open: str = "") -> str:  # noqa: A002
        """The diagram of a port, whose groups open; with `open`, what is in that group alone."""
        model, one, graph = self._loaded(port)
        drawing = self.built.results.drawing(model, one) or Drawing()
        level = chosen(drawing.levels, graph, open, port)
        here = addresses.port_folder(model, one)
        if not open:
            there = addresses.link(self.folder, here, "")
            shown = overview.html(drawing.levels, self.built.templates, there)
        else:
            levels = addresses.link(self.folder, join(here, "levels"), "")
            svg = _LINK.sub(lambda match: f'xlink:href="{_joined(levels, match[1])}"', level.svg)
            shown = overview.closed(svg, level.title, self.built.templates)
        return shown + self._source(f"{model.title}, {one.name}", here)

    def layers(self, port: str, module: str = "") -> str:
        """The layers of a port, or those of one of its modules."""
        model, one, graph = self._loaded(port)
        every = layer_row.rows(graph)
        rows = [row for row in every if not module or module in row.modules.split("|")]
        if not rows:
            modules = dict.fromkeys(row.modules.partition("|")[0] for row in every if row.modules)
            listed = (
                f"use one of: {', '.join(modules)}" if modules else "its layers have no modules"
            )
            raise ModeldocsError(f"{port} has no module {module!r}", fix=listed)
        here = addresses.port_folder(model, one)
        table = self.built.templates.html(
            "embedded_layers",
            rows=rows,
            columns=[one for one in COLUMNS if one.key in SHOWN],
            is_whole=not module,
        )
        table = table.replace('href="#', f'href="{addresses.link(self.folder, here)}#')
        return table + self._source(f"{model.title}, {one.name}", here)

    def diff(self, a: str, b: str) -> str:
        """The verdict on two ports of one model, and what differs."""
        found = self._compared(a, b)
        setting = Setting(names=(found.a.name, found.b.name), rows="all")
        parts = comparison.parts(found.diff, found.graphs, setting, self.built.templates)
        here = addresses.pair_folder(found.model, found.a, found.b)
        page = addresses.link(self.folder, here)
        html = _ID.sub("", parts["verdict"] + parts["changes"])
        html = html.replace('href="#', f'href="{page}#')
        return html + self._source(f"{found.model.title}: {found.a.name} vs {found.b.name}", here)

    def benchmarks(self, model: str, task: str = "") -> str:
        """The charts of a model's recorded rates, of one task or of all."""
        found = self._model(model)
        rates = self.built.results.panel(found.id).rates
        charts = [svg for name, svg in rates.items() if task in ("", name)]
        if not charts:
            listed = f"its tasks are: {', '.join(rates)}" if rates else "it has no recorded rate"
            raise ModeldocsError(
                f"{model} has no recorded rate for {task or 'any task'}", fix=listed
            )
        html = self.built.templates.html("chart", charts=charts)
        return html + self._source(f"{found.title}, benchmarks", addresses.benchmarks_folder(found))

    def figure(self, port: str, name: str) -> str:
        """A figure of a port, as text: see `FIGURES`."""
        *_, graph = self._loaded(port)
        if name not in FIGURES:
            raise ModeldocsError(f"no figure {name!r}", fix=f"use one of: {', '.join(FIGURES)}")
        return escape_markdown(FIGURES[name](graph))

    def verdict(self, a: str, b: str) -> str:
        """The verdict on two ports of one model, in a few words, as text."""
        found = self._compared(a, b)
        step = sentences.pair_verdict(found.diff, found.graphs).step
        return escape_markdown(f"{step.sign} {step.word}")

    def failure(self, failure: Failure, *, whole: bool) -> str:
        """What stands in the place of a call that failed: HTML, or text in a sentence."""
        if whole:
            return self.built.templates.html("failures", failures=[failure])
        return escape_markdown(f"({failure.reason})")

    def _source(self, title: str, folder: str) -> str:
        return self.built.templates.html(
            "embedded_source", title=title, page=addresses.link(self.folder, folder)
        )

    def _compared(self, a: str, b: str) -> EmbeddedDiff:
        """The comparison of two ports, in the order of its page.

        Raises:
            ModeldocsError: no page compares them.
        """
        (model, *_), (other, *_) = self._loaded(a), self._loaded(b)
        named = frozenset((a.rpartition("/")[2], b.rpartition("/")[2]))
        for one, two in self._pairs(model):
            if model.id != other.id or named != {one.name, two.name}:
                continue
            diff = pair_page.compared(model, one, two, self.built.results)
            if diff is not None:
                graphs = (
                    self._loaded(port_name(model, one))[2],
                    self._loaded(port_name(model, two))[2],
                )
                return EmbeddedDiff(model=model, a=one, b=two, diff=diff, graphs=graphs)
        listed = [f"{one.name} and {two.name}" for one, two in self._pairs(model)]
        raise ModeldocsError(
            f"{a} and {b} have no page that compares them",
            fix=f"choose two ports of {model.id}: {'; '.join(listed[:6])}"
            if listed
            else f"{model.id} has no two ports that loaded",
        )

    def _pairs(self, model: Model) -> list[tuple[Port, Port]]:
        results = self.built.results
        loaded = {one.name for one in model.ports if results.loaded(model, one).failure is None}
        return [pair for pair in results.pairs(model) if {one.name for one in pair} <= loaded]

    def _model(self, name: str) -> Model:
        models = {model.id: model for model in self.built.catalog.models}
        if name not in models:
            raise ModeldocsError(f"no model {name!r} in the catalog", fix="see the catalog's names")
        return models[name]

    def _loaded(self, name: str) -> tuple[Model, Port, LayerGraph]:
        model, port = self.built.catalog.port(name)
        loaded = self.built.results.loaded(model, port)
        graph = self.built.results.graph(model, port)
        if loaded.failure is not None or graph is None:
            reason = loaded.failure.reason if loaded.failure else "no result"
            raise ModeldocsError(
                f"{name} could not be loaded: {reason}",
                fix=(loaded.failure.fix if loaded.failure else None) or "see the port's page",
            )
        return model, port, graph


def _joined(folder: str, address: str) -> str:
    """An address in a drawing, which is relative to the drawing's folder."""
    return normpath(join(folder, address))
