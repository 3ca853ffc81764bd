"""The page of a program: its code, its proof, its map of weights, and the model's own ports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from posixpath import join

from modeldocs import generators, loaders
from modeldocs.catalog import Model, Port
from modeldocs.diff import WeightMap, weights
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
from modeldocs.tasks.programs import GeneratedProgram, ProgramProof
from modeldocs.tasks.results import Results

WEIGHTS = "weights.json"
"""The file of the map of weights, as `modeldocs diff --weights` writes it."""


def written(model: Model, results: Results) -> list[str]:
    """The targets in which the model has a program that is proven."""
    every = {name: results.program(model, name) for name in results.targets.get(model.id, ())}
    return [name for name, made in every.items() if made is not None and made.reason is None]


def file_name(model: Model, target: str) -> str:
    """The name of the file of a program; not the target's own, which Python would import."""
    return f"{generators.variable(model.id, 'model')}_{target}.py"


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
        parts = self._parts(self.made.proof, graph, templates)
        yield templates.page(
            join(self.here, "index.md"),
            "program",
            title,
            parts,
            terms=search_terms.of_port(self.model, self.port, graph),
            framework=self.target.title,
            source=loaders.title(self.port.framework),
            href=addresses.link(
                self.here, addresses.port_folder(self.model, self.port), "index.md"
            ),
            is_reference=self.port.name == self.model.manifest.reference,
        )
        yield Page(path=join(self.here, self.file), content=self.made.code.encode())
        yield Page(path=join(self.here, WEIGHTS), content=self._weight_map(self.made.proof))

    def _parts(
        self, proof: ProgramProof, graph: LayerGraph, templates: Templates
    ) -> dict[str, str]:
        own = self.results.graph_of_program(self.made)
        assert own is not None and proof.diff is not None and proof.diff.parity is not None
        lines = source.lines(self.file, self.made.code)
        file = SourceFile(1, self.file, self.made.code, lines, inline=True)
        setting = Setting(names=(self.port.name, "the program"))
        ahead = proof.diff.parity.a_to_b.weights
        return {
            "bar": breadcrumbs.of_program(
                self.model, self.target.name, written(self.model, self.results), templates
            ),
            "proof": templates.html(
                "program_proof",
                diff=proof.diff,
                both=proof.frameworks,
                tolerance=frameworks.TOLERANCE,
            ),
            "code": templates.html("program_code", file=file, anchor=source.anchor),
            "changes": comparison.changes(proof.diff, (graph, own), setting, templates)
            if proof.diff.changes
            else "",
            "weights": templates.html(
                "program_weights",
                groups=conversions.groups(ahead),
                weights=ahead,
                json=WEIGHTS,
                source=self.port.name,
            ),
            "own": own_ports.html(self.model, self.target, own, self.results, templates),
            "usage": templates.html(
                "program_usage",
                source=port_name(self.model, self.port),
                framework=loaders.title(self.port.framework),
                target=self.target.name,
                file=self.file,
                folder=f"{Path(self.results.place.root).name}/{self.model.id}",
            ),
        }

    def _weight_map(self, proof: ProgramProof) -> bytes:
        assert proof.diff is not None and proof.diff.parity is not None
        ahead = proof.diff.parity.a_to_b.weights
        return weights.encode(WeightMap(port_name(self.model, self.port), self.file, ahead))
