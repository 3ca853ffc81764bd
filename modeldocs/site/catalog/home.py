"""The catalog's page: a table of all models, and their thumbnails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from posixpath import dirname, join

from modeldocs import loaders, verdict
from modeldocs.catalog import Model
from modeldocs.diagram.thumbnail import thumbnail
from modeldocs.ir import LayerGraph
from modeldocs.site import addresses
from modeldocs.site.catalog import speed, trend
from modeldocs.site.catalog.port_states import STATES
from modeldocs.site.catalog.speed import Speed
from modeldocs.site.catalog.trend import Standing
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.page import Page
from modeldocs.site.search import terms as search_terms
from modeldocs.site.templating import PageLink, Templates
from modeldocs.struct import Struct
from modeldocs.tasks.results import Results

NEWEST = 8
"""Changes of ports that the page lists, and news of each kind."""


class PortCell(Struct, frozen=True):
    """A port in the catalog's table: its link, its framework, and whether it failed to load."""

    link: PageLink
    framework: str
    failed: bool
    verdict: str = ""
    """The verdict of its proof; empty where it was not proven."""

    @property
    def state(self) -> str:
        """One of `STATES`."""
        if self.failed:
            return "not loaded"
        return self.verdict if self.verdict in STATES else "not verified"


class FamilyCount(Struct, frozen=True):
    """How many families of ports differ from the reference's by one step, given by its id."""

    step: str
    count: int


class LastChange(Struct, frozen=True):
    """The last commit that changed a port: its day, the port, and what it did to it (`added`)."""

    date: str
    port: PageLink
    kind: str
    author: str


class ModelRow(Struct, frozen=True):
    """A model in the catalog's table. Figures are those of its reference port, else the first."""

    id: str
    title: str
    href: str
    thumbnail: str
    task: str
    tags: tuple[str, ...]
    ports: tuple[PortCell, ...]
    layers: int | None
    parameters: int | None
    macs: int | None
    families: int
    """Of ports that compute the same function."""
    other_families: tuple[FamilyCount, ...]
    records: int
    failures: int
    operators: tuple[str, ...] = ()
    """Those of all its ports, in ONNX and in their frameworks."""
    speed: Speed | None = None
    benchmarks: str = ""
    """The address of the page of its benchmarks."""
    changes: tuple[LastChange, ...] = ()
    """Of its ports, the newest first."""

    @property
    def macs_per_parameter(self) -> float | None:
        """How often a parameter is used in a forward pass, on average."""
        return self.macs / self.parameters if self.macs is not None and self.parameters else None

    def by_state(self) -> list[tuple[str, str, list[PortCell]]]:
        """Its ports by their state, as sign, state and ports; only states that ports have."""
        cells = {state: [cell for cell in self.ports if cell.state == state] for state in STATES}
        return [(STATES[state].sign, state, some) for state, some in cells.items() if some]


def pages(
    rows: Sequence[ModelRow],
    against: str,
    templates: Templates,
    path: str,
    standings: Sequence[Standing] = (),
) -> Iterator[Page]:
    """The catalog's page; `against` says what the ports that are verified were compared with.

    `standings` are the catalog's past, which what is new is told from.
    """
    folder = dirname(path)
    tasks = sorted({row.task for row in rows if row.task})
    cells = [cell for row in rows for cell in row.ports]
    frameworks = sorted(Counter(cell.framework for cell in cells).items())
    states = Counter(cell.state for cell in cells)
    counts = [(one.sign, word, states[word]) for word, one in STATES.items() if states[word]]
    totals = {
        "counts": counts,
        "against": against,
        "proofs": addresses.link(folder, addresses.PROOFS),
        "frameworks": frameworks,
        "listing": addresses.link(folder, "", addresses.LISTING),
    }
    parts = {"catalog": templates.long_html("catalog", rows=rows, tasks=tasks, **totals)}
    yield templates.page(
        path,
        "home",
        "Catalog",
        parts,
        rows=rows,
        ports=len(cells),
        frameworks=len(frameworks),
        failures=sum(row.failures for row in rows),
        compare=addresses.link(folder, addresses.COMPARE, "index.md"),
        changes=_newest(change for row in rows for change in row.changes),
        news=[(one.date, trend.news(one, standings[-1])) for one in trend.compared(standings)],
        links={f"{row.id}/{cell.link.text}": cell.link.href for row in rows for cell in row.ports},
        most=NEWEST,
    )


def _newest(changes: Iterable[LastChange]) -> list[LastChange]:
    """The last changes of ports of the catalog, the newest first."""
    return sorted(changes, key=lambda one: one.date, reverse=True)[:NEWEST]


def thumbnails(model: Model, results: Results) -> Iterator[Page]:
    """The thumbnail of a model on the catalog's page, if any of its ports loaded."""
    graph = representative(model, results)
    if graph is not None:
        file = join(addresses.model_folder(model), "thumbnail.svg")
        yield Page(path=file, content=thumbnail(graph).encode())


def representative(model: Model, results: Results) -> LayerGraph | None:
    """The graph whose figures stand for a model: its reference port's, else the first loaded."""
    graphs = (results.graph(model, port) for port in model.reference_first())
    return next((graph for graph in graphs if graph), None)


def row(model: Model, results: Results, compared: ComparedPorts, folder: str) -> ModelRow:
    """A model's row, its links relative to the page in `folder`."""
    graph = representative(model, results)
    totals = graph.totals() if graph else None
    cells = []
    for port in model.ports:
        href = addresses.link(folder, addresses.port_folder(model, port))
        failed = results.loaded(model, port).failure is not None
        proof = results.proof(model, port)
        cells.append(
            PortCell(
                link=PageLink(text=port.name, href=href),
                framework=loaders.title(port.framework),
                failed=failed,
                verdict=proof.verdict if proof else "",
            )
        )
    records = results.records.get(model.id, [])
    graphs = [graph for port in model.ports if (graph := results.graph(model, port))]
    return ModelRow(
        id=model.id,
        title=model.title,
        href=addresses.link(folder, addresses.model_folder(model)),
        thumbnail=addresses.link(folder, addresses.model_folder(model), "thumbnail.svg")
        if graph
        else "",
        task=model.manifest.task or "",
        tags=tuple(model.manifest.tags),
        ports=tuple(cells),
        layers=totals.layers if totals else None,
        parameters=totals.parameters if totals else None,
        macs=totals.macs if totals else None,
        families=len(compared.families),
        other_families=other_families(compared),
        records=sum(1 for item in records if item.record),
        failures=len(model.failures)
        + sum(cell.failed for cell in cells)
        + sum(1 for item in records if item.failure),
        operators=tuple(search_terms.operators(graphs)),
        speed=speed.best(item.record for item in records if item.record),
        benchmarks=addresses.link(folder, addresses.benchmarks_folder(model)),
        changes=tuple(_newest(_changes(model, results, folder))),
    )


def _changes(model: Model, results: Results, folder: str) -> Iterator[LastChange]:
    for port in model.ports:
        history = results.history(model, port)
        if history is not None and history.versions:
            last = history.versions[0]
            page = addresses.link(folder, addresses.port_folder(model, port), "index.md")
            link = PageLink(text=f"{model.title}, {port.name}", href=f"{page}#history")
            yield LastChange(date=last.date, port=link, kind=last.kind, author=last.author)


def other_families(compared: ComparedPorts) -> tuple[FamilyCount, ...]:
    """How many families differ from that of the reference, by step, what matters least first."""
    counts = Counter(family.step.id for family in compared.families[1:])
    return tuple(
        FamilyCount(step=step.id, count=counts[step.id])
        for step in verdict.STEPS
        if counts[step.id]
    )
