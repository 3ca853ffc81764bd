"""The page of all proofs: every port against its framework, every pair of ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import join

import msgspec

from modeldocs import loaders
from modeldocs.catalog import Model, Port
from modeldocs.numeric.proof import Proof, count_verified
from modeldocs.site import addresses
from modeldocs.site.catalog import pair_rows
from modeldocs.site.catalog.pair_rows import PairRow
from modeldocs.site.catalog.port_states import STATES
from modeldocs.site.catalog.trend import Standing
from modeldocs.site.model import port_rows
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.model.coverage import coverage
from modeldocs.site.model.port_rows import PortRow
from modeldocs.site.page import Page
from modeldocs.site.search import terms as search_terms
from modeldocs.site.templating import PageLink, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results
from modeldocs.verdict import NOT_LOADED, STEPS

DAYS = 30
"""Builds whose numbers the page has."""

_VERDICTS = ("verified", "disagrees", "not run", "not tried")


class ProofRow(Struct, frozen=True):
    """A port and its proof, without its run time; `why` is the reason where there is none.
    `owner` looks after the port, `changed` is the day of its last commit; empty where not known.
    """

    model: PageLink
    port: PageLink
    framework: str
    verdict: str
    proof: Proof | None = None
    why: str = ""
    owner: str = ""
    changed: str = ""


class ModelProofs(Struct, frozen=True):
    """What the page shows of a model: proofs, ports against the reference, pairs.

    `missing` is the number of pairs of ports that loaded and are not compared.
    """

    reference: str
    proofs: tuple[ProofRow, ...]
    against: tuple[PortRow, ...]
    pairs: tuple[PairRow, ...]
    missing: int


def of_model(model: Model, results: Results, compared: ComparedPorts) -> ModelProofs:
    """What the page shows of a model."""
    here = addresses.PROOFS
    return ModelProofs(
        reference=compared.reference,
        proofs=tuple(row(model, port, results, here) for port in model.ports),
        against=tuple(port_rows.rows(model, results, compared, here)),
        pairs=tuple(pair_rows.rows(model, results, compared, here)),
        missing=coverage(model, results, compared.reference).missing,
    )


def pages(
    models: Sequence[ModelProofs], templates: Templates, standings: Sequence[Standing] = ()
) -> Iterator[Page]:
    """The tables of proofs and of pairs, and the same as JSON; `standings` are the past."""
    rows = [row for model in models for row in model.proofs]
    counts = {verdict: sum(one.verdict == verdict for one in rows) for verdict in _VERDICTS}
    others = _against(models)
    steps = [row.step for row, _ in others]
    counts_against = [(step, steps.count(step)) for step in STEPS if step in steps]
    pairs = [pair for model in models for pair in model.pairs]
    missing = sum(model.missing for model in models)
    yield templates.page(
        join(addresses.PROOFS, "index.md"),
        "proofs",
        "Proofs",
        {
            "against": templates.long_html("against", rows=others, counts=counts_against)
            if others
            else "",
            "proofs": templates.long_html("proofs", rows=rows, verdicts=_VERDICTS) if rows else "",
            "pairs": templates.long_html("pairs", rows=pairs, missing=missing) if pairs else "",
            "trend": _trend(standings, templates),
        },
        terms=search_terms.of_proofs(),
        counts={verdict: count for verdict, count in counts.items() if count},
        against=count_verified(row.proof for row in rows),
        ports=len(rows),
        counts_against=counts_against,
    )
    for name, table in (("proofs", rows), ("pairs", pairs)):
        data = msgspec.json.format(msgspec.json.encode(table), indent=2)
        yield Page(path=join(addresses.PROOFS, f"{name}.json"), content=data)


def _trend(standings: Sequence[Standing], templates: Templates) -> str:
    """The numbers of ports of each build; empty where there was no other."""
    if len(standings) < 2:
        return ""
    shown = standings[-DAYS:]
    return templates.html(
        "trend",
        standings=shown,
        states=[state for word, state in STATES.items() if any(one.states[word] for one in shown)],
        shown_steps=[step for step in STEPS if any(one.steps[step.id] for one in shown)],
    )


def _against(models: Sequence[ModelProofs]) -> list[tuple[PortRow, str]]:
    """Ports with a verdict against the reference, and its name; what matters most comes first.

    Ports that did not load stand last: nothing is known of them.
    """
    found = [
        (row, model.reference)
        for model in models
        for row in model.against
        if row.step is not None and len(model.against) > 1
    ]
    return sorted(found, key=lambda one: _gravity(one[0]), reverse=True)


def _gravity(row: PortRow) -> tuple[int, float]:
    """How much it matters: by the step of the verdict, then by the largest error of a layer."""
    rank = -1 if row.step is None or row.step == NOT_LOADED else row.step.rank
    return rank, row.largest or 0.0


def row(model: Model, port: Port, results: Results, folder: str) -> ProofRow:
    """A port's row; links are relative to the page in `folder`."""
    proof, history = results.proof(model, port), results.history(model, port)
    failure = results.loaded(model, port).failure or (proof.failure if proof else None)
    return ProofRow(
        model=PageLink(
            text=model.title, href=addresses.link(folder, addresses.model_folder(model))
        ),
        port=PageLink(
            text=port.name, href=addresses.link(folder, addresses.port_folder(model, port))
        ),
        framework=loaders.title(port.framework),
        verdict=proof.verdict if proof else "not tried",
        proof=msgspec.structs.replace(proof, seconds=0.0) if proof else None,
        why=failure.reason if failure else "",
        owner=history.owner if history else "",
        changed=history.versions[0].date if history and history.versions else "",
    )
