"""The page of a program: its code, its proof, its map of weights, and the model's own ports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from posixpath import join

from modeldocs import generators, loaders
from modeldocs.catalog import Model, Port
from modeldocs.diff import WeightMap, Weights, weights
from modeldocs.generators import Target
from modeldocs.ir import LayerGraph
from modeldocs.numeric.proof import frameworks
from modeldocs.site import addresses, breadcrumbs
from modeldocs.site.page import Page
from modeldocs.site.pair import comparison, conversions
from modeldocs.site.pair.comparison import Setting
from modeldocs.site.port import source
from modeldocs.site.port.source import SourceFile
from modeldocs.site.program import own_ports
from modeldocs.site.search import terms as search_terms
from modeldocs.site.templating import Templates
from modeldocs.tasks import program_targets
from modeldocs.tasks.names import port_name
from modeldocs.tasks.program_proof import ProgramProof
from modeldocs.tasks.programs import GeneratedProgram
from modeldocs.tasks.results import Results

WEIGHTS = "weights.json"
"""The file of the map of weights, as `modeldocs diff --weights` writes it."""


def written(model: Model, results: Results) -> list[str]:
    """The targets in which the model has a program that is proven."""
    every = {name: results.program(model, name) for name in results.targets.get(model.id, ())}
    return [name for name, made in every.items() if made is not None and made.reason is None]


def file_name(model: Model, target: str) -> str:
    """The name of the file of a program; not the target's own, which Python would import."""
    suffix = generators.target(target).suffix
    return f"{generators.variable(model.id, 'model')}_{target}{suffix}"


def pages(model: Model, target: str, results: Results, templates: Templates) -> Iterator[Page]:
    """The page of a program that is proven, the program, and its map of weights."""
    port, made = program_targets.source(model, results), results.program(model, target)
    assert port is not None and made is not None
    yield from _ProgramPage(model, port, generators.target(target), made, results).pages(templates)


class _ProgramPage:
    """A program of a model in a target, made from a port."""

    def __init__(
        self, model: Model, port: Port, target: Target, made: GeneratedProgram, results: Results
    ) -> None:
        self.model, self.port, self.target, self.made = model, port, target, made
        self.results = results
        self.here = addresses.program_folder(model, target.name)
        self.file = file_name(model, target.name)

    def pages(self, templates: Templates) -> Iterator[Page]:
        title = f"{self.model.title}, ported to {self.target.title}"
        graph = self.results.graph(self.model, self.port)
        assert graph is not None and self.made.proof is not None
        ahead = _map(self.made.proof)
        yield templates.page(
            join(self.here, "index.md"),
            "program",
            title,
            self._parts(self.made.proof, graph, templates) | self._weights(ahead, templates),
            terms=search_terms.of_port(self.model, self.port, graph),
            framework=self.target.title,
            source=loaders.title(self.port.framework),
            href=addresses.link(
                self.here, addresses.port_folder(self.model, self.port), "index.md"
            ),
            is_reference=self.port.name == self.model.manifest.reference,
        )
        yield Page(path=join(self.here, self.file), content=self.made.content)
        if ahead is not None:
            found = WeightMap(port_name(self.model, self.port), self.file, ahead)
            yield Page(path=join(self.here, WEIGHTS), content=weights.encode(found))

    def _parts(
        self, proof: ProgramProof, graph: LayerGraph, templates: Templates
    ) -> dict[str, str]:
        lines = source.lines(self.file, self.made.code)
        file = SourceFile(1, self.file, self.made.code, lines, inline=True)
        others = written(self.model, self.results)
        return {
            "bar": breadcrumbs.of_program(self.model, self.target.name, others, templates),
            "proof": templates.html(
                "program_proof",
                diff=proof.diff,
                both=proof.frameworks,
                tolerance=frameworks.TOLERANCE,
            ),
            "code": templates.html("program_code", file=file, anchor=source.anchor),
            **self._compared(proof, graph, templates),
            "usage": templates.html(
                "program_usage",
                source=port_name(self.model, self.port),
                framework=loaders.title(self.port.framework),
                target=self.target.name,
                file=self.file,
                folder=f"{Path(self.results.place.root).name}/{self.model.id}",
            ),
        }

    def _compared(
        self, proof: ProgramProof, graph: LayerGraph, templates: Templates
    ) -> dict[str, str]:
        """What is told of the program as a port; nothing where no loader reads its framework."""
        own = self.results.graph_of_program(self.made)
        if own is None or proof.diff is None:
            return {}
        setting = Setting(names=(self.port.name, "the program"))
        both = (graph, own)
        return {
            "changes": comparison.changes(proof.diff, both, setting, templates)
            if proof.diff.changes
            else "",
            "own": own_ports.html(self.model, self.target, own, self.results, templates),
        }

    def _weights(self, ahead: Weights | None, templates: Templates) -> dict[str, str]:
        if ahead is None:
            return {}
        groups, name = conversions.groups(ahead), self.port.name
        part = templates.html(
            "program_weights", groups=groups, weights=ahead, json=WEIGHTS, source=name
        )
        return {"weights": part}


def _map(proof: ProgramProof) -> Weights | None:
    """The map of the port's weights to the program's, where both were run by it."""
    parity = proof.diff.parity if proof.diff is not None else None
    return parity.a_to_b.weights if parity is not None else None
