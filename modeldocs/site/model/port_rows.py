"""Rows of ports, each compared with the reference port of its model."""

from __future__ import annotations

import msgspec

from modeldocs.catalog import Model, Port
from modeldocs.diff import Diff, Divergence
from modeldocs.errors import Failure
from modeldocs.ir import Totals
from modeldocs.loaders import title
from modeldocs.numeric.proof import Proof
from modeldocs.site import addresses
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.pair import page as diff_page
from modeldocs.site.templating import PageLink
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results
from modeldocs.verdict import NOT_LOADED, VerdictLevel, sentences


class PortRow(Struct, frozen=True):
    """A port, whether it is verified, and its verdict against the reference port.

    `step`, `differences` and what follows compare it with the reference: `diff` leads to their
    page, `first` to the first layer whose outputs differ, `error` is the relative error at the end
    of the two networks (None where it cannot be compared), `largest` that of the layer that differs
    most, `why` the reason where there is no
    verdict by numbers. `step` is None for the reference itself, and where no port loaded.
    """

    model: PageLink
    port: PageLink
    framework: str
    reference: bool
    notes: str = ""
    totals: Totals | None = None
    failure: Failure | None = None
    proof: Proof | None = None
    step: VerdictLevel | None = None
    differences: tuple[str, ...] = ()
    diff: str = ""
    first: PageLink | None = None
    ran: bool = False
    error: float | None = None
    largest: float | None = None
    why: str = ""


def rows(model: Model, results: Results, compared: ComparedPorts, folder: str) -> list[PortRow]:
    """The ports of a model by family, the reference first; those that did not load come last.

    Links are relative to the page in `folder`.
    """
    ports = {port.name: port for port in model.ports}
    return [_row(model, ports[name], results, compared, folder) for name in compared.ordered(ports)]


def _row(
    model: Model, port: Port, results: Results, compared: ComparedPorts, folder: str
) -> PortRow:
    graph = results.graph(model, port)
    row = PortRow(
        model=PageLink(
            text=model.title, href=addresses.link(folder, addresses.model_folder(model))
        ),
        port=PageLink(
            text=port.name, href=addresses.link(folder, addresses.port_folder(model, port))
        ),
        framework=title(port.framework),
        reference=port.name == compared.declared,
        notes=port.notes,
        totals=graph.totals() if graph is not None else None,
        failure=results.loaded(model, port).failure,
        proof=results.proof(model, port),
        step=NOT_LOADED if graph is None else None,
    )
    pair = compared.pair(port.name, compared.reference) if graph is not None else None
    if pair is None:
        return row
    a, b = next(both for both in results.pairs(model) if {one.name for one in both} == pair.names)
    page = addresses.link(folder, addresses.pair_folder(model, a, b))
    diff = diff_page.compared(model, a, b, results)
    parity = diff.parity if diff is not None else None
    ran = parity is not None and parity.verdict != "not run"
    return msgspec.structs.replace(
        row,
        step=pair.step,
        differences=pair.of(port.name),
        diff=page,
        first=_first(model, (a, b), results, parity.first, page)
        if parity is not None and parity.first is not None
        else None,
        ran=ran,
        error=parity.outputs.relative if parity is not None and parity.outputs else None,
        largest=pair.error,
        why=_why(diff),
    )


def _first(
    model: Model, ports: tuple[Port, Port], results: Results, first: Divergence, page: str
) -> PageLink:
    """The first layer whose outputs differ, as the diff's page has it."""
    place = sentences.place(first.pair, diff_page.names(model, ports, results))
    return PageLink(text=place.text, href=f"{page}#{place.anchor}")


def _why(diff: Diff | None) -> str:
    """Why there is no verdict by numbers, or not by those of every layer; empty where there is."""
    if diff is None:
        return "the two could not be compared"
    parity = diff.parity
    if parity is None:
        return "compared by structure only"
    if parity.failure is not None:
        return parity.failure.reason
    if parity.uncompared:
        count = len(parity.uncompared)
        return f"{count:,} layer{'' if count == 1 else 's'} could not be compared by numbers"
    return ""
