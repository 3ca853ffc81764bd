"""What a model's page shows of programs: each target with its program, and how to make others."""

from __future__ import annotations

from modeldocs import generators
from modeldocs.catalog import Model
from modeldocs.site import addresses
from modeldocs.site.program import own_ports
from modeldocs.site.program.own_ports import OwnPort
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks import program_targets
from modeldocs.tasks.programs import GeneratedProgram
from modeldocs.tasks.results import Results


class ProgramRow(Struct, frozen=True):
    """A target, and the program of a model in it; `made` is None where that was not made yet.

    `href` leads to the program's page, and is empty where there is none. `own` are the model's
    ports of that framework, each compared with the program.
    """

    target: str
    title: str
    made: GeneratedProgram | None
    href: str = ""
    own: tuple[OwnPort, ...] = ()

    @property
    def lines(self) -> int:
        """The number of lines of the program."""
        return len(self.made.code.splitlines()) if self.made is not None else 0


def html(model: Model, results: Results, templates: Templates) -> str:
    """The table of targets; empty where the model has none."""
    port = program_targets.source(model, results)
    names = results.targets.get(model.id, ())
    if port is None or not names:
        return ""
    rows = [_row(model, name, results) for name in names]
    return templates.html("programs", rows=rows, model=model, source=port.name)


def _row(model: Model, name: str, results: Results) -> ProgramRow:
    made, target = results.program(model, name), generators.target(name)
    if made is None or made.reason is not None:
        return ProgramRow(name, target.title, made)
    here, graph = addresses.model_folder(model), results.graph_of_program(made)
    own = own_ports.of_program(model, target, graph, results, here) if graph is not None else []
    href = addresses.link(here, addresses.program_folder(model, name))
    return ProgramRow(name, target.title, made, href, tuple(own))
