"""`modeldocs bench import`: recorded figures of other tools and sources, as records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from modeldocs import catalog
from modeldocs.cli import options, terminal
from modeldocs.errors import ModeldocsError
from modeldocs.published import importing, source
from modeldocs.published.source import PublishedSource


@click.command(name="import", short_help="Import recorded figures as benchmark records.")
@click.argument("files", nargs=-1, required=True, metavar="FILES", type=click.Path(path_type=Path))
@options.models
@click.option(
    "--map",
    "description",
    type=click.Path(path_type=Path, dir_okay=False),
    help="YAML file that describes the source, and leads from its names to models.",
)
@click.option("--model", help="Model, or model/port, of all runs, where there is no --map.")
@click.option("--date", help="Day of the runs, where the files tell none.")
@click.option(
    "--anyway", is_flag=True, help="Import a trace whose operators are not those of the model."
)
def import_(
    files: tuple[Path, ...],
    models: Path,
    description: Path | None,
    model: str | None,
    date: str | None,
    anyway: bool,
) -> None:
    """Import FILES of recorded figures: traces of profilers, logs, and published tables.

    The format of a file is recognised by its content; a folder stands for all files in it. Records
    go to models/MODEL/benchmarks/. What a file does not tell stays unknown. Importing again
    changes nothing.
    """
    target = catalog.read(models)
    told = _source(description, model, date)
    counts: Counter[str] = Counter()
    for file in _files(files):
        outcome = importing.import_file(file, told, target, checked=not anyway)
        for one in outcome.imported:
            counts[one.state] += 1
            click.echo(f"{one.state}: {terminal.relative(one.file)}")
        counts["left out"] += outcome.left_out
    states = ("new", "updated", "unchanged")
    click.echo(", ".join(f"{counts[s]} {s}" for s in states if counts[s] or s != "updated"))
    if counts["left out"]:
        click.echo(f"{counts['left out']} runs of networks without a model here were left out")


def _source(description: Path | None, model: str | None, date: str | None) -> PublishedSource:
    if description is not None:
        if model or date:
            raise ModeldocsError("--map says which models, and when", fix="leave out the others")
        return source.read(description)
    if model is None:
        raise ModeldocsError(
            "nothing says which model was run", fix="add --model MODEL/PORT, or --map FILE"
        )
    return PublishedSource(
        title="imported file", citation="", models={}, every=model, date=date, dated=None
    )


def _files(paths: tuple[Path, ...]) -> list[Path]:
    """The files, and those in the folders, in order."""
    files: list[Path] = []
    for path in paths:
        inside = (one for one in path.rglob("*") if one.is_file() and one.name[0] != ".")
        files += sorted(inside) if path.is_dir() else [path]
    return files
