"""The model's own ports in the framework of a program, each compared with it."""

from __future__ import annotations

from modeldocs import verdict
from modeldocs.catalog import Model, Port
from modeldocs.generators import Target
from modeldocs.ir import LayerGraph
from modeldocs.site import addresses
from modeldocs.site.pair import comparison
from modeldocs.site.templating import PageLink, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.names import program_pair_name
from modeldocs.tasks.results import Results
from modeldocs.verdict import VerdictLevel


class OwnPort(Struct, frozen=True):
    """A port, its verdict against the program, and what it has otherwise than that.

    `error` is the largest relative error of a layer, or of what both return; None where it was not
    measured.
    """

    port: PageLink
    step: VerdictLevel
    differences: tuple[str, ...]
    error: float | None


def html(
    model: Model, target: Target, program: LayerGraph, results: Results, templates: Templates
) -> str:
    """The table of these ports; empty where the model has none."""
    here = addresses.program_folder(model, target.name)
    rows = of_program(model, target, program, results, here)
    return templates.html("program_ports", rows=rows, title=target.title) if rows else ""


def of_program(
    model: Model, target: Target, program: LayerGraph, results: Results, folder: str
) -> list[OwnPort]:
    """The ports in the program's framework; links are relative to the page in `folder`."""
    ports = results.ports_in(model, target.framework)
    return [_own_port(model, target, port, program, results, folder) for port in ports]


def _own_port(
    model: Model, target: Target, port: Port, program: LayerGraph, results: Results, folder: str
) -> OwnPort:
    name, graph = program_pair_name(model, target.name, port), results.graph(model, port)
    diff = results.diff_of(name)
    if diff is not None:
        diff = comparison.with_parity(diff, results.parity_of(name))
    assert graph is not None
    pair = verdict.compared("the program", port.name, diff, (program, graph))
    page = addresses.link(folder, addresses.port_folder(model, port))
    return OwnPort(
        port=PageLink(text=port.name, href=page),
        step=pair.step,
        differences=pair.differences,
        error=pair.error,
    )
