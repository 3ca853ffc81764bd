"""`modeldocs store`: delete stored results that the catalog does not use any more."""

from __future__ import annotations

from pathlib import Path

import click

from modeldocs import catalog, formatting
from modeldocs.cli import options, terminal
from modeldocs.site import configured_store
from modeldocs.tasks.prune import prune as prune_store


@click.group(short_help="Manage the folder of stored results.")
def store() -> None:
    """Manage the folder of stored results.

    build, verify, load and diff keep their results there, and compute only what changed. The
    folder can be deleted, copied to another machine, and kept between runs of CI.
    """


@store.command(short_help="Delete what the present catalog does not use.")
@options.models
@options.store
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    metavar="DAYS",
    help="Keep what was used within so many days.",
)
@click.option("--dry-run", is_flag=True, help="Delete nothing; print what would be freed.")
def prune(models: Path, store: str | None, older_than: float, dry_run: bool) -> None:
    """Delete what the store holds of former states of the catalog.

    These are the results of files, settings, code and versions of software that are not the
    present ones, those of sources outside of the catalog, pages of removed models, and what
    processes that were killed left. It needs the store alone: while a build is running it ends
    with exit code 2, and a build that starts waits for it. Of a remote store only the local folder
    is pruned.
    """
    opened = configured_store.store_at(store)
    pruned = prune_store(catalog.read(models), opened, older_than=older_than, dry_run=dry_run)
    counts = terminal.counts(
        (pruned.answers, "result"),
        (pruned.objects, "object"),
        (pruned.pages, "page"),
        (pruned.parts, "unfinished file"),
    )
    freed = formatting.size(pruned.bytes)
    click.echo(f"{'would free' if dry_run else 'freed'} {freed}: {counts}")
    if opened.remote is not None:
        click.echo(
            f"the remote store {opened.remote.shown} is left as it is: other machines may use its "
            "results; let its host delete what is old"
        )
