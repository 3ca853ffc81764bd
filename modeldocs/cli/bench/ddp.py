"""`modeldocs bench ddp`: measure data-parallel training of a port and record the result."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from modeldocs import catalog
from modeldocs.benchmarks import data_parallel, forecast, metrics, record
from modeldocs.benchmarks.forecast import Check
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.request import BenchRequest, Precision
from modeldocs.benchmarks.world import WorldRequest
from modeldocs.cli import options, terminal
from modeldocs.cli.bench import measuring


@click.command(short_help="Measure data-parallel training of a port.")
@click.argument("source")
@options.models
@click.option(
    "--world", type=click.IntRange(min=2), default=2, show_default=True, help="Number of workers."
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Samples per step of each worker.",
)
@measuring.precision
@click.option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    show_default=True,
    help="All workers on the processor, or each on a GPU of its own.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Threads of each worker.  [default: the processor's, divided among the workers]",
)
@click.option(
    "--bucket-mb",
    type=click.FloatRange(min=0, min_open=True),
    help="Maximum size of a bucket of gradients in MiB.  [default: 1 for the first, then 25]",
)
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Number of times that the workers are started.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=2),
    default=20,
    show_default=True,
    help="Timed steps of each kind at each start.",
)
@click.option("--tag", help="End of the record's name.  [default: ddp and the number of workers]")
def ddp(
    source: str,
    models: Path,
    world: int,
    batch: int,
    precision: Precision,
    device: str,
    threads: int | None,
    bucket_mb: float | None,
    processes: int,
    steps: int,
    tag: str | None,
) -> None:
    """Train SOURCE, a PyTorch port, on several workers, and write a benchmark record.

    SOURCE is model/port. Steps without all-reduce, with it after backward (blocking) and during
    backward (overlapped) are timed in turn. The record goes to models/MODEL/benchmarks/; the next
    build shows it with a forecast for more workers.
    """
    model, port = catalog.read(models).port(source)
    if port.failure is not None:
        raise port.failure.error()
    values: dict[str, object] = {
        "world": world,
        "batch": batch,
        "precision": precision,
        "device": device,
        "threads": threads,
        "bucket-mb": bucket_mb,
        "tag": tag,
    }
    request = WorldRequest(
        run=BenchRequest(
            load=port.request,
            model=model.id,
            port=port.name,
            framework=port.framework,
            command=measuring.command("ddp", source, values),
            task="training",
            batch=batch,
            precision=precision,
            device=device,
            threads=threads or (data_parallel.threads(world) if device == "cpu" else None),
            processes=processes,
            steps=steps,
            seconds=0.0,
            tag=tag or f"ddp{world}",
        ),
        world=world,
        bucket_mb=bucket_mb,
    )
    result = data_parallel.measure(request, progress=lambda step: click.echo(step, err=True))
    file = record.write(result, Path(model.folder))
    _tell(result)
    click.echo(f"wrote {terminal.relative(file)}")


def _tell(result: Record) -> None:
    """Print the steps of each kind, and how far the model of scaling is from them."""
    assert result.ddp is not None
    for name, times in forecast.recorded(result):
        click.echo(f"{times.p50:10.4g} ms per step, {name} (median of {times.n})")
    rate = metrics.samples_per_second(result)
    click.echo(f"{rate:.4g} samples/s of {result.ddp.world} workers on {result.device.name}")
    for check in _checks(result):
        click.echo(f"model: {check.model_us / 1e3:.4g} ms {check.name}, {check.error:+.1%}")
    for note in result.notes:
        click.echo(f"note: {note}")


def _checks(result: Record) -> list[Check]:
    """The model beside the recorded steps; none on a machine that only measures, without scipy."""
    if importlib.util.find_spec("scipy") is None:
        return []
    return [check for fit in forecast.fits([result]) for check in fit.checks()]
