"""`make bench-maps`: a table of every pair of the catalog and of the sources here."""

from __future__ import annotations

import argparse
import itertools
import tempfile
from pathlib import Path

import click

from modeldocs import catalog
from modeldocs.errors import ModeldocsError

from . import applying, sources
from .applying import Row, Subject
from .checkpoints import KINDS


def main() -> None:
    """Apply the maps of all pairs, or of those whose name has a word in it."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.maps", description=__doc__)
    parser.add_argument("--only", default="", help="models with this in their names")
    only = parser.parse_args().only
    rows: list[Row] = []
    click.echo("pair | mapped | lost | unset | unknown | invented | error | parity says")
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        for name, subjects in {**_catalog(only), **sources.pairs(only)}.items():
            for number, (a, b) in enumerate(itertools.combinations(subjects, 2)):
                for row in applying.rows(a, b, Path(folder, f"{name}-{number}")):
                    rows.append(row)
                    click.echo(_told(row))
    run = [row for row in rows if not row.failure]
    right, true = sum(row.is_right for row in run), sum(row.is_true for row in run)
    click.echo(f"{right} of {len(run)} maps give the source's outputs in the target's framework")
    click.echo(f"{true} of {len(run)} are what parity says of them; {len(rows) - len(run)} not run")


def _catalog(only: str) -> dict[str, list[Subject]]:
    """The ports of each model whose frameworks can be run here."""
    found: dict[str, list[Subject]] = {}
    for model in catalog.read(Path("models")).models:
        if only not in model.id:
            continue
        subjects: list[Subject] = []
        for port in model.ports:
            if port.framework in KINDS:
                try:
                    name = f"{model.id}/{port.name}"
                    subjects.append(applying.load(name, port.framework, port.request))
                except ModeldocsError as error:
                    click.echo(f"{model.id}/{port.name}: {error.reason}")
        found[model.id] = subjects
    return found


def _told(row: Row) -> str:
    if row.failure:
        return f"{row.pair} | {row.failure}"
    error = "–" if row.error is None else f"{row.error:.1e}"
    counts = (row.mapped, *map(_names, (row.lost, row.unset, row.unknown, row.invented)))
    mark = "" if row.is_true else " ✗"
    return f"{row.pair} | {' | '.join(map(str, counts))} | {error} | {row.claim}{mark}"


def _names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:2])
    return f"{len(names)} ({shown}{', …' if len(names) > 2 else ''})" if names else "0"


if __name__ == "__main__":
    main()
