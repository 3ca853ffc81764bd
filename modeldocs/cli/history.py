"""`modeldocs history`: what changed in a port, when and by whom."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import click

from modeldocs import catalog, families, ir
from modeldocs import history as histories
from modeldocs.cli import options, printing, terminal
from modeldocs.cli.inspect import load_ports
from modeldocs.errors import ModeldocsError
from modeldocs.history import Log, Owners, Version
from modeldocs.struct import Struct
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.store import Store

_TITLES = 3
"""Changes of a version that are printed; the others are counted."""


class Change(Struct, frozen=True):
    """A version, and how it differs from the one before it.

    `step` is the id of the verdict by structure, empty for the first version and where one of the
    two could not be loaded: `failure` then has the reason. `titles` are what differs, the gravest
    first, `more` how many others do.
    """

    version: Version
    step: str = ""
    titles: tuple[str, ...] = ()
    more: int = 0
    failure: str = ""


@click.command(short_help="Tell what changed in a port, when and by whom.")
@click.argument("source")
@click.option("--limit", "-n", default=10, show_default=True, help="Versions to compare.")
@click.option("--log-only", is_flag=True, help="List the commits; load and compare nothing.")
@options.models
@options.store
@click.option("--json", "as_json", is_flag=True, help="Print the history as JSON.")
def history(
    source: str, limit: int, log_only: bool, models: Path, store: str | None, as_json: bool
) -> None:
    """Tell what changed in SOURCE, when and by whom, across renames.

    SOURCE is model/port of the catalog or a file, in a git repository. Each version is loaded and
    compared by structure with the one before it; what was loaded and compared is kept in the store.
    """
    path = _path(source, models)
    log = histories.read(path if path.is_dir() else path.parent)
    every = log.of([path])
    if not every:
        raise ModeldocsError(
            "git has no version of it",
            file=source,
            fix="commit it, or check that it is not ignored",
        )
    shown = every[:limit]
    if log_only:
        changes = [Change(version=one) for one in shown]
    else:
        with options.opened_store(store, models) as held:
            changes = list(_changes(held, every[: limit + 1], log, models))[: len(shown)]
    if as_json:
        printing.echo(changes)
        return
    owner = Owners.read(log.root).of(path.resolve().relative_to(log.root).as_posix())
    if owner:
        click.echo(f"owner: {terminal.safe(owner)}")
    for change in changes:
        _show(change)
    if len(every) > limit:
        click.echo(f"{len(every) - limit} older versions; --limit shows more")
    if log.cut:
        click.echo("this clone has only a part of the history: git fetch --unshallow", err=True)


def _path(source: str, models: Path) -> Path:
    """The file or folder of a source."""
    if Path(source).exists():
        return Path(source)
    found = catalog.read(models).port(source)[1].source
    if found is None:
        raise ModeldocsError(
            "it comes from an installed package, which has no history", file=source
        )
    return found


def _changes(store: Store, versions: Sequence[Version], log: Log, models: Path) -> Iterator[Change]:
    """Each version with what differs from the one before it, the newest first."""
    sources = {one: _at(one, log) for one in versions if one.kind != "removed"}
    loads, failures = {}, {}
    for version, name in sources.items():
        with ExitStack() as resolved:
            try:
                port = resolved.enter_context(options.resolve(name, models, None, None, ()))
                loads[version] = load_ports(store, {name: port})[name]
            except ModeldocsError as error:
                failures[version] = error.reason
    ports = Ports(store)
    for new, old in pairwise(versions):
        failure = failures.get(new) or failures.get(old)
        if new not in loads or old not in loads:
            yield Change(version=new, failure=failure or "")
            continue
        found = ports.diff(new.short, loads[old], loads[new]).diff
        graphs = tuple(ir.decode(store.read(str(loads[one].graph))) for one in (old, new))
        titles = [one.title for one in found.changes]
        yield Change(
            version=new,
            step=families.step(found, (graphs[0], graphs[1])).id,
            titles=tuple(titles[:_TITLES]),
            more=max(0, len(titles) - _TITLES),
        )
    yield Change(version=versions[-1], failure=failures.get(versions[-1], ""))


def _at(version: Version, log: Log) -> str:
    """A version as a source of the command line."""
    return f"git:{version.commit}:{os.path.relpath(log.root / version.path)}"


def _show(change: Change) -> None:
    version = change.version
    head = f"{version.date}  {version.short}  {version.author}: {version.subject}"
    click.secho(terminal.safe(head), bold=True)
    if change.failure:
        click.echo(f"  could not be compared: {terminal.safe(change.failure)}")
    elif change.step:
        step = families.BY_ID[change.step]
        click.echo(
            f"  {step.sign} {step.word if change.titles else 'nothing of the network changed'}"
        )
        for title in change.titles:
            click.echo(f"    {terminal.safe(title)}")
        if change.more:
            click.echo(f"    and {change.more} more")
    elif version.kind in ("added", "removed"):
        click.echo(f"  {version.kind}")
