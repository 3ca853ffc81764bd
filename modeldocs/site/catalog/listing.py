"""`catalog.json`: what a published site tells other sites and scripts of its models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from posixpath import join
from typing import Any, Final, Literal

import msgspec

from modeldocs import __version__, digest
from modeldocs.catalog import Model, Port
from modeldocs.site import addresses
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.page import Page
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results
from modeldocs.verdict import NOT_LOADED, VerdictLevel

FORMAT: Final = 2
"""Version of the format; raised when a field changes its name or its meaning."""

StepId = Literal[
    "same",
    "by-structure",
    "up-to-epsilon",
    "up-to-padding",
    "up-to-head",
    "returned-differently",
    "held-differently",
    "partly-compared",
    "small-differences",
    "different-results",
    "not-loaded",
]
"""The ids of `verdict.STEPS`."""

Verification = Literal["verified", "disagrees", "not run", "not tried"]
"""Verdicts of proofs, or none."""


class ListedPort(Struct, frozen=True):
    """A port. Addresses are relative to `catalog.json`; `null` is unknown.

    `status` is whether its definition could be loaded, and `failure` the reason where not.
    `verification` is the verdict of its proof, its comparison with its own framework. `family` is
    the number of its family in `families` of its model, from 1. `source` is the digest of the
    catalog's files that loading it read, in hex: BLAKE2b of 20 bytes, of a line with digest, two
    spaces and path for each file. It is equal while these files are.
    """

    name: str
    framework: str
    status: Literal["loaded", "failed"]
    failure: str | None
    verification: Verification
    layers: int | None
    parameters: int | None
    macs: int | None
    source: str | None
    family: int | None
    page: str


class ListedFamily(Struct, frozen=True):
    """Ports of one function, and how they differ from the family of the reference."""

    ports: tuple[str, ...]
    step: StepId
    differences: tuple[str, ...]


class ListedPair(Struct, frozen=True):
    """Two ports that were compared, how much they differ, and the address of their page."""

    a: str
    b: str
    step: StepId
    page: str


class ListedModel(Struct, frozen=True):
    """A model; `records` is the number of its recorded benchmarks."""

    id: str
    title: str
    summary: str
    task: str | None
    tags: tuple[str, ...]
    page: str
    badge: str
    reference: str | None
    ports: tuple[ListedPort, ...]
    families: tuple[ListedFamily, ...]
    pairs: tuple[ListedPair, ...]
    records: int


class Listing(Struct, frozen=True):
    """All models of a site, sorted by id."""

    format: int
    generator: str
    models: tuple[ListedModel, ...]


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `catalog.json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs catalog",
        **msgspec.json.schema(Listing),
    }


def pages(models: Iterable[ListedModel]) -> Iterator[Page]:
    """`catalog.json`, at the root of the site wherever the catalog's page is."""
    listing = Listing(format=FORMAT, generator=f"modeldocs {__version__}", models=tuple(models))
    yield Page(
        path=addresses.LISTING, content=msgspec.json.format(msgspec.json.encode(listing), indent=1)
    )


def listed(model: Model, results: Results, compared: ComparedPorts) -> ListedModel:
    """A model as `catalog.json` has it."""
    here = addresses.model_folder(model)
    families = {
        name: number
        for number, family in enumerate(compared.families, start=1)
        for name in family.ports
    }
    return ListedModel(
        id=model.id,
        title=model.title,
        summary=model.manifest.summary,
        task=model.manifest.task,
        tags=tuple(model.manifest.tags),
        page=_page(here),
        badge=join(here, addresses.BADGE),
        reference=compared.reference or None,
        ports=tuple(_port(model, port, families.get(port.name), results) for port in model.ports),
        families=tuple(
            ListedFamily(ports=one.ports, step=_id(one.step), differences=one.differences)
            for one in compared.families
        ),
        pairs=tuple(_pair(model, a, b, compared) for a, b in results.pairs(model)),
        records=sum(item.record is not None for item in results.records.get(model.id, [])),
    )


def _port(model: Model, port: Port, family: int | None, results: Results) -> ListedPort:
    loaded, graph, proof = (
        results.loaded(model, port),
        results.graph(model, port),
        results.proof(model, port),
    )
    totals = graph.totals() if graph is not None else None
    return ListedPort(
        name=port.name,
        framework=port.framework,
        status="failed" if graph is None else "loaded",
        failure=loaded.failure.reason if loaded.failure is not None else None,
        verification=msgspec.convert(
            proof.verdict if proof is not None else "not tried", Verification
        ),
        layers=totals.layers if totals else None,
        parameters=totals.parameters if totals else None,
        macs=totals.macs if totals else None,
        source=_source(loaded.read),
        family=family,
        page=_page(addresses.port_folder(model, port)),
    )


def _source(read: Mapping[str, str]) -> str | None:
    """The digest of the catalog's files among those that loading read; None where it read none."""
    own = sorted((path, of) for path, of in read.items() if not path.startswith(".."))
    lines = "".join(f"{of}  {path}\n" for path, of in own)
    return digest.of(lines.encode()) if own else None


def _pair(model: Model, a: Port, b: Port, compared: ComparedPorts) -> ListedPair:
    pair = compared.pair(a.name, b.name)
    return ListedPair(
        a=a.name,
        b=b.name,
        step=_id(pair.step if pair is not None else NOT_LOADED),
        page=_page(addresses.pair_folder(model, a, b)),
    )


def _id(step: VerdictLevel) -> StepId:
    checked: StepId = msgspec.convert(step.id, StepId)
    return checked


def _page(folder: str) -> str:
    return join(folder, "index.html")
