"""`modeldocs preview`: what a change does to the models of the catalog."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich import box
from rich.markup import escape
from rich.table import Table

from modeldocs.cli import options, terminal
from modeldocs.cli.build import guard
from modeldocs.errors import ModeldocsError
from modeldocs.site import configured_store
from modeldocs.site.preview import document, outputs, report, rows, sides, violations
from modeldocs.site.preview.document import Preview
from modeldocs.site.preview.sides import Request
from modeldocs.site.progress import shown_progress

_REASON = 100
"""Characters of what happened to a port."""


@click.command(short_help="Show what a change does to models.")
@click.option("--base", required=True, metavar="REF", help="The branch that the change is for.")
@click.option("--head", metavar="REF", help="The change.  [default: the working tree]")
@options.models
@options.unconfigured_store
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("preview"),
    show_default=True,
    help="Folder of diff.json, comment.md and site/.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Number of processes.  [default: one per core]"
)
@click.option("--whole", is_flag=True, help="Show all models, not only those that change.")
@click.option("--site/--no-site", default=True, help="Write the site.  [default: --site]")
@click.option(
    "--verify/--no-verify",
    default=True,
    help="Compare the ports with their frameworks, before and after.  [default: --verify]",
)
@click.option(
    "--link", type=options.ADDRESS, default="", help="Address of the site, for the comment."
)
@click.option(
    "--fail-on",
    multiple=True,
    metavar="POLICY",
    type=click.Choice(list(violations.POLICIES)),
    help="Exit with 1 on this, with 2 if the machine failed; can be given several times. failed: "
    "a port does not load. unverified: a port disagrees with its framework, or is not proven any "
    "more. mistakes: a manifest or a record is wrong. removed: a port is gone. families: ports of "
    "a model that were the same differ, or the reverse. slower: a record is slower than the one "
    "before it. different, parameters, shape, parity: as those of `modeldocs diff`, on a port "
    "before and after.",
)
@click.option("--json", "as_json", is_flag=True, help="Print diff.json.")
def preview(
    base: str,
    head: str | None,
    models: Path,
    store: str | None,
    out: Path,
    jobs: int | None,
    whole: bool,
    site: bool,
    verify: bool,
    link: str,
    fail_on: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare the catalog with the commit at which it left the branch --base.

    Both sides are loaded by this version of modeldocs, and only what the change reaches. The exit
    code is 0 whatever the change does, unless --fail-on is given.
    """
    target = out.resolve() / outputs.SITE
    guard(target, models)
    outputs.check(out.resolve())
    request = Request(
        base=base,
        head=head,
        models=str(models),
        store=configured_store.store_at(store, configured=False),
        whole=whole,
        prove=verify,
        jobs=jobs,
    )
    with shown_progress() as progress, sides.compare(request, progress) as both:
        found = report.preview(both)
        outputs.begin(out)
        if site:
            name = models.resolve().parent.name
            outputs.write_site(found, both, target, name=name, literal=head is not None)
    outputs.write(found, out, link)
    if as_json:
        click.echo(document.encode(found).decode("utf-8"), nl=False)
    else:
        _show(found)
        click.echo(f"open {terminal.relative(target / 'changes' / 'index.html' if site else out)}")
    violated = violations.violations(found, fail_on)
    if violated:
        click.echo(terminal.safe(f"modeldocs: fails on {', '.join(violated)}"), err=True)
        sys.exit(1)
    unjudged = violations.unjudged(found)
    if fail_on and unjudged:
        raise ModeldocsError(unjudged, fix="see that it can go on, then run it again", machine=True)


def _show(found: Preview) -> None:
    """Print what changed: a sentence, then a line a port, a family and a record."""
    click.secho(terminal.safe(rows.headline(found)), bold=True)
    if found.ports:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in ("port", "", "layers", "parameters", "proof"):
            table.add_column(heading, overflow="fold")
        for row in rows.rows(found):
            what = document.cut(f"{row.sign} {row.what}", _REASON)
            cells = (row.name, what, *row.figures[:2], row.proof)
            table.add_row(*(escape(terminal.safe(cell)) for cell in cells))
        terminal.console().print(table)
    for line in rows.others(found):
        click.echo(terminal.safe(line))
    click.echo(terminal.counts((found.untouched, "port")) + " untouched")
