"""The page that compares any two ports of the catalog: two pickers, and the pairs that have a page.

Under `modeldocs serve` the same page also compares files of the reader's own; see
`modeldocs.site.serving`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from posixpath import join

from modeldocs import loaders
from modeldocs.catalog import Model
from modeldocs.site import addresses
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.model.coverage import coverage
from modeldocs.site.page import Page
from modeldocs.site.search import terms as search_terms
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks.names import port_name
from modeldocs.tasks.results import Results
from modeldocs.verdict import STEPS, VerdictLevel

DEFAULT_FOLDER = "models"


class Choice(Struct, frozen=True):
    """A port that can be picked; `name` is the one on the command line, `lenet/caffe`,
    `architecture` the address of its stages.
    """

    name: str
    architecture: str
    port: str
    framework: str
    failed: bool


class ModelPorts(Struct, frozen=True):
    """The ports of a model in the pickers."""

    id: str
    title: str
    choices: tuple[Choice, ...]


class PairLink(Struct, frozen=True):
    """A pair of ports that has a page: its names on the command line, and its verdict."""

    a: str
    b: str
    text: str
    href: str
    step: VerdictLevel


class ModelPairs(Struct, frozen=True):
    """The pairs of a model that have a page, and how many of them have each verdict."""

    title: str
    href: str
    pairs: tuple[PairLink, ...]
    counts: tuple[tuple[VerdictLevel, int], ...]
    """Steps of the verdict with their numbers of pairs, the least that matters first."""
    missing: int
    """Number of pairs that were not compared, of ports that loaded."""


def pages(
    groups: Sequence[ModelPorts], pairs: Sequence[ModelPairs], folder: str, templates: Templates
) -> Iterator[Page]:
    """The page; without JavaScript it is the list of the pairs that have a page.

    `folder` is the name of the catalog's folder.
    """
    models = [model for model in pairs if model.pairs]
    parts = {
        "picker": templates.long_html(
            "compare",
            groups=[group for group in groups if group.choices],
            frameworks=[(name, loaders.title(name)) for name in loaders.frameworks()],
            options="" if folder == DEFAULT_FOLDER else f" --models {folder}",
        ),
        "pairs": templates.long_html("pair_links", models=models) if models else "",
    }
    path = join(addresses.COMPARE, "index.md")
    partial = any(model.missing for model in models)
    yield templates.page(
        path,
        "compare",
        "Compare any two",
        parts,
        terms=search_terms.of_compare((one.title, one.id) for one in groups),
        partial=partial,
    )


def group(model: Model, results: Results) -> ModelPorts:
    """The ports of a model in the pickers."""
    choices = tuple(
        Choice(
            name=port_name(model, port),
            architecture=addresses.link(
                addresses.COMPARE, addresses.port_folder(model, port), "architecture.js"
            ),
            port=port.name,
            framework=loaders.title(port.framework),
            failed=results.loaded(model, port).failure is not None,
        )
        for port in model.ports
    )
    return ModelPorts(id=model.id, title=model.title, choices=choices)


def model_pairs(model: Model, compared: ComparedPorts, results: Results) -> ModelPairs:
    """The pairs of a model that have a page."""
    links = []
    for a, b in results.pairs(model):
        pair = compared.pair(a.name, b.name)
        if pair is not None:
            links.append(
                PairLink(
                    a=port_name(model, a),
                    b=port_name(model, b),
                    text=f"{a.name} vs {b.name}",
                    href=addresses.link(addresses.COMPARE, addresses.pair_folder(model, a, b)),
                    step=pair.step,
                )
            )
    href = addresses.link(addresses.COMPARE, addresses.model_folder(model))
    return ModelPairs(
        title=model.title,
        href=href,
        pairs=tuple(links),
        counts=_counts(links),
        missing=coverage(model, results, compared.reference).missing,
    )


def _counts(links: list[PairLink]) -> tuple[tuple[VerdictLevel, int], ...]:
    counts = Counter(pair.step.id for pair in links)
    return tuple((step, counts[step.id]) for step in STEPS if counts[step.id])
