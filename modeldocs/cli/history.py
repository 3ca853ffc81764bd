"""`modeldocs history`: what changed in a port, when and by whom."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import click

from modeldocs import catalog, ir, verdict
from modeldocs import history as histories
from modeldocs.catalog import Catalog, Model
from modeldocs.cli import options, printing, terminal
from modeldocs.cli.load import load_ports
from modeldocs.errors import ModeldocsError
from modeldocs.history import Changes, Owners, Version, VersionChange, VersionLog
from modeldocs.site import configured_store
from modeldocs.tasks.histories import owner_of
from modeldocs.tasks.load import Load
from modeldocs.tasks.names import port_name
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.store import Store

_TITLES = 3
"""Changes of a version that are printed; the others are counted."""


@click.command(short_help="Tell what changed in a port, when and by whom.")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--limit", "-n", default=10, show_default=True, help="Versions of each to compare.")
@click.option("--log-only", is_flag=True, help="List the commits; load and compare nothing.")
@options.models
@options.store
@click.option("--json", "as_json", is_flag=True, help="Print the history as JSON.")
def history(
    sources: tuple[str, ...],
    limit: int,
    log_only: bool,
    models: Path,
    store: str | None,
    as_json: bool,
) -> None:
    """Tell what changed in each SOURCE, when and by whom, across renames.

    SOURCE is model/port of the catalog or a file, in a git repository; without one, every port of
    the catalog. Each version is loaded and compared by structure with the one before it. That is
    kept in the store, and the next build shows it on the port's page.
    """
    told = {}
    known = _catalog(sources, models)
    for source in sources or _ports(known):
        path = _path(source, known)
        log = histories.read(_around(path, models))
        every = log.of([path])
        if not every:
            if not sources:
                continue
            raise ModeldocsError(
                "git has no version of it",
                file=source,
                fix="commit it, or check that it is not ignored",
            )
        shown = every[:limit]
        changes = [VersionChange(version=one) for one in shown]
        if not log_only:
            with configured_store.opened_store(store, models) as held:
                changes = list(_changes(held, every[: limit + 1], log, models))[: len(shown)]
        told[source] = changes
        if not as_json:
            if len(sources) != 1:
                click.secho(terminal.safe(source), bold=True, underline=True)
            owner = owner_of(path, _model(path, known), log, Owners.read(log.root))
            _show_all(owner, log, changes, len(every) - limit)
    if as_json:
        printing.echo(told if len(sources) != 1 else told[sources[0]])


def _catalog(sources: Sequence[str], models: Path) -> Catalog:
    """The catalog, read once; an empty one where there is none, and files alone are asked for."""
    only_files = bool(sources) and all(Path(one).exists() for one in sources)
    return Catalog(str(models)) if only_files and not models.is_dir() else catalog.read(models)


def _ports(known: Catalog) -> list[str]:
    """The ports of the catalog that have files of their own."""
    return [
        port_name(model, port)
        for model in known.models
        for port in model.ports
        if port.source is not None
    ]


def _around(path: Path, models: Path) -> Path:
    """The folder whose log tells a path's renames: the catalog's, else its own."""
    if path.resolve().is_relative_to(models.resolve()):
        return models
    return path if path.is_dir() else path.parent


def _model(path: Path, known: Catalog) -> Model | None:
    """The model of the catalog whose folder a path lies in; None for other files."""
    place = path.resolve()
    return next((one for one in known.models if place.is_relative_to(one.folder)), None)


def _show_all(owner: str, log: VersionLog, changes: Sequence[VersionChange], older: int) -> None:
    if owner:
        click.echo(f"owner: {terminal.safe(owner)}")
    for change in changes:
        _show(change)
    if older > 0:
        click.echo(f"{older} older versions; --limit shows more")
    if log.cut:
        click.echo("this clone has only a part of the history: git fetch --unshallow", err=True)


def _path(source: str, known: Catalog) -> Path:
    """The file or folder of a source."""
    if Path(source).exists():
        return Path(source)
    found = known.port(source)[1].source
    if found is None:
        raise ModeldocsError(
            "it comes from an installed package, which has no history",
            file=source,
            fix="ask the package's own repository",
        )
    return found


def _changes(
    store: Store, versions: Sequence[Version], log: VersionLog, models: Path
) -> Iterator[VersionChange]:
    """Each version with what differs from the one before it, the newest first."""
    kept = Changes.of(store.folder)
    pairs = list(pairwise(versions))
    known = [kept.known(old, new) for new, old in pairs]
    wanted = {one for pair, found in zip(pairs, known, strict=True) if not found for one in pair}
    loader = _VersionLoader(store, log, models)
    loader.load(one for one in versions if one in wanted or len(versions) == 1)
    for (new, old), found in zip(pairs, known, strict=True):
        change = found or loader.change(old, new)
        if found is None:
            kept.keep(old, new, change)
        yield change
    yield VersionChange(version=versions[-1], failure=loader.failures.get(versions[-1], ""))


class _VersionLoader:
    """Loads versions, and compares them."""

    def __init__(self, store: Store, log: VersionLog, models: Path) -> None:
        self.store, self.log, self.models = store, log, models
        self.loads: dict[Version, Load] = {}
        self.failures: dict[Version, str] = {}
        self.ports = Ports(store)

    def load(self, versions: Iterable[Version]) -> None:
        """Load versions; why one could not be is in `failures`."""
        for version in versions:
            if version.kind == "removed":
                continue
            name = _at(version, self.log)
            with ExitStack() as resolved:
                try:
                    port = resolved.enter_context(
                        options.resolve(name, self.models, None, None, ())
                    )
                    self.loads[version] = load_ports(self.store, {name: port})[name]
                except ModeldocsError as error:
                    self.failures[version] = error.reason

    def change(self, old: Version, new: Version) -> VersionChange:
        """What differs between two versions."""
        if new not in self.loads or old not in self.loads:
            failure = self.failures.get(new) or self.failures.get(old)
            return VersionChange(version=new, failure=failure or "")
        before, after = self.loads[old], self.loads[new]
        found = self.ports.diff(new.short, before, after).diff
        graphs = tuple(ir.decode(self.store.read(str(one.graph))) for one in (before, after))
        titles = [one.title for one in found.changes]
        return VersionChange(
            version=new,
            step=verdict.step(found, (graphs[0], graphs[1])).id,
            titles=tuple(titles[:_TITLES]),
            more=max(0, len(titles) - _TITLES),
        )


def _at(version: Version, log: VersionLog) -> str:
    """A version as a source of the command line."""
    return f"git:{version.commit}:{os.path.relpath(log.root / version.path)}"


def _show(change: VersionChange) -> None:
    version = change.version
    head = f"{version.date}  {version.short}  {version.author}: {version.subject}"
    click.secho(terminal.safe(head), bold=True)
    if change.failure:
        click.echo(f"  could not be compared: {terminal.safe(change.failure)}")
    elif change.step:
        step = verdict.BY_ID[change.step]
        click.echo(
            f"  {step.sign} {step.word if change.titles else 'nothing of the network changed'}"
        )
        for title in change.titles:
            click.echo(f"    {terminal.safe(title)}")
        if change.more:
            click.echo(f"    and {change.more} more")
    elif version.kind in ("added", "removed"):
        click.echo(f"  {version.kind}")
