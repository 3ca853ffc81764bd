"""Rows of the table of all pairs of ports: the verdict, the reasons and the error of each."""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs.catalog import Model, Port
from modeldocs.site import addresses
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.pair import page as diff_page
from modeldocs.site.templating import PageLink
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results
from modeldocs.verdict import ComparedPair, sentences


class PairRow(Struct, frozen=True):
    """A pair of ports that were compared.

    `reference` is the one that is the reference of its model, empty where none of the two is.
    `step` is the id of its verdict's step, `differences` what the second port has otherwise.
    `error` is the relative error of the last layers that correspond, `first` the first layer whose
    outputs differ, `why` the reason where the two could not be run.
    """

    model: PageLink
    pair: PageLink
    reference: str
    step: str
    differences: tuple[str, ...]
    changes: int
    compared: int = 0
    error: float | None = None
    first: str = ""
    why: str = ""


def rows(model: Model, results: Results, compared: ComparedPorts, folder: str) -> Iterator[PairRow]:
    """The pairs of a model whose ports loaded; links are relative to the page in `folder`."""
    reference = compared.declared
    for a, b in results.pairs(model):
        pair = compared.pair(a.name, b.name)
        if pair is not None:
            known = reference if reference in pair.names else ""
            yield _row(model, (a, b), pair, known, results, folder)


def _row(
    model: Model,
    ports: tuple[Port, Port],
    pair: ComparedPair,
    reference: str,
    results: Results,
    folder: str,
) -> PairRow:
    a, b = ports
    diff = diff_page.compared(model, a, b, results)
    parity = diff.parity if diff is not None else None
    first = parity.first if parity else None
    return PairRow(
        model=PageLink(
            text=model.title, href=addresses.link(folder, addresses.model_folder(model))
        ),
        pair=PageLink(
            text=f"{a.name} vs {b.name}",
            href=addresses.link(folder, addresses.pair_folder(model, a, b)),
        ),
        reference=reference,
        step=pair.step.id,
        differences=pair.differences,
        changes=len(diff.changes) if diff is not None else 0,
        compared=parity.compared if parity else 0,
        error=parity.outputs.relative if parity and parity.outputs else None,
        first=sentences.place(first.pair, diff_page.names(model, ports, results)).text
        if first
        else "",
        why=parity.failure.reason if parity and parity.failure else "",
    )
