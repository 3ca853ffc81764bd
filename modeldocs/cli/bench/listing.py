"""`modeldocs bench list`: the records of the catalog."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click
from rich import box
from rich.markup import escape
from rich.table import Table

from modeldocs.benchmarks import comparability, labels, metrics, record
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.trust import Grade, trust
from modeldocs.catalog import read as read_catalog
from modeldocs.cli import options, printing, terminal
from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct


class ListedRecord(Struct, frozen=True):
    """A record in the list.

    `workers` is more than 1 for data-parallel training. `step_ms` is the median, else the mean that
    the source gives; `name` is that for `bench compare` after the model; `group` numbers the
    records whose step times may be compared.
    """

    model: str
    port: str | None
    task: str | None
    workers: int
    batch: int | None
    precision: str | None
    device: str
    step_ms: float | None
    samples_per_second: float | None
    grade: Grade
    reasons: tuple[str, ...]
    date: str
    name: str
    file: str
    group: int


@click.command("list", short_help="List the recorded runs.")
@options.models
@click.option("--model", help="Only records of this model.")
@click.option("--device", help="Only records of devices whose name contains this text.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def listing(models: Path, model: str | None, device: str | None, as_json: bool) -> None:
    """List the benchmark records of the catalog, with a trust grade for each.

    Records between two lines did the same work and may be compared; the fastest of them is first.
    """
    found = [
        one
        for one in _records(models, model)
        if device is None or device.lower() in one.record.device.name.lower()
    ]
    entries = _entries(found)
    if as_json:
        printing.echo(entries)
    else:
        _show(entries)


@dataclass(frozen=True)
class _ListedFile:
    """A file of the catalog and its record."""

    path: Path
    record: Record


def _records(models: Path, model: str | None) -> list[_ListedFile]:
    """The records of a model, or of all; a broken one is warned of."""
    catalog = read_catalog(models)
    chosen = [one for one in catalog.models if model is None or one.id == model]
    if model is not None and not chosen:
        raise ModeldocsError(
            f"there is no model {model!r}", file=models, fix="name one of `modeldocs bench list`"
        )
    found = []
    for one in chosen:
        for path in record.files(Path(one.folder)):
            try:
                found.append(_ListedFile(path, record.read(path)))
            except ModeldocsError as error:
                click.echo(f"modeldocs: {terminal.safe(str(error))}", err=True)
    return found


def _entries(files: list[_ListedFile]) -> list[ListedRecord]:
    """The records in groups that may be compared, in the order of the catalog."""
    groups = comparability.groups(files, lambda file: file.record)
    return [_entry(file, number) for number, group in enumerate(groups, 1) for file in group]


def _entry(file: _ListedFile, group: int) -> ListedRecord:
    one, graded = file.record, trust(file.record)
    return ListedRecord(
        model=one.model.id,
        port=one.model.port,
        task=one.run.task,
        workers=one.ddp.world if one.ddp is not None else 1,
        batch=one.run.batch,
        precision=labels.precision(one.numerics),
        device=one.device.name,
        step_ms=metrics.step_ms(one),
        samples_per_second=metrics.samples_per_second(one),
        grade=graded.grade,
        reasons=tuple(reason.text for reason in graded.reasons),
        date=one.run.date,
        name=one.run.tag or file.path.stem,
        file=str(terminal.relative(file.path.absolute())),
        group=group,
    )


def _show(entries: list[ListedRecord]) -> None:
    if not entries:
        click.echo("no records")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("model", "port", "task", "batch", "precision", "device"):
        table.add_column(heading)
    for heading in ("ms a step", "samples/s"):
        table.add_column(heading, justify="right")
    for heading in ("grade", "date", "record"):
        table.add_column(heading, overflow="fold")
    for entry, following in zip(entries, [*entries[1:], None], strict=True):
        last = following is None or following.group != entry.group
        table.add_row(*map(escape, map(terminal.safe, _cells(entry))), end_section=last)
    terminal.console().print(table)
    click.echo("Records between two lines did the same work; others are not comparable.")


def _work(entry: ListedRecord) -> str:
    task = entry.task or "–"
    return f"{task}, {entry.workers} workers" if entry.workers > 1 else task


def _cells(entry: ListedRecord) -> tuple[str, ...]:
    return (
        entry.model,
        entry.port or "–",
        _work(entry),
        "–" if entry.batch is None else f"{entry.batch:,}",
        entry.precision or "–",
        entry.device,
        "–" if entry.step_ms is None else f"{entry.step_ms:,.4g}",
        "–" if entry.samples_per_second is None else f"{entry.samples_per_second:,.4g}",
        entry.grade,
        entry.date,
        entry.name,
    )
