"""`modeldocs bench run`: measure a port and record the result."""

from __future__ import annotations

from pathlib import Path

import click

from modeldocs import catalog
from modeldocs.benchmarks import metrics, record, runner
from modeldocs.benchmarks.request import BenchRequest, Precision, Work
from modeldocs.cli import options, terminal
from modeldocs.cli.bench import measuring
from modeldocs.errors import ModeldocsError


@click.command(short_help="Measure a port and write a benchmark record.")
@click.argument("source")
@options.models
@click.option(
    "--task",
    type=click.Choice(["inference", "training"]),
    default="inference",
    show_default=True,
    help="Measure forward passes, or training steps.",
)
@click.option(
    "--batch", type=click.IntRange(min=1), default=1, show_default=True, help="Samples per step."
)
@measuring.precision
@click.option(
    "--compile", "compiled", is_flag=True, help="Compile the whole model: torch.compile, or XLA."
)
@click.option(
    "--device", default="cpu", show_default=True, help="Device to run on: cpu, cuda or cuda:1."
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Threads per operator.  [default: the framework's choice]",
)
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Number of processes that time steps, one after another.",
)
@click.option(
    "--seconds",
    type=float,
    default=10.0,
    show_default=True,
    help="Minimum seconds of timed steps per process.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Minimum number of timed steps per process.",
)
@click.option("--tag", help="A name that tells runs with equal options apart.")
def run(
    source: str,
    models: Path,
    task: Work,
    batch: int,
    precision: Precision,
    compiled: bool,
    device: str,
    threads: int | None,
    processes: int,
    seconds: float,
    steps: int,
    tag: str | None,
) -> None:
    """Measure SOURCE, a port of the catalog, and write a benchmark record.

    SOURCE is model/port. The record goes to models/MODEL/benchmarks/; the next build shows it.
    """
    model, port = catalog.read(models).port(source)
    if port.failure is not None:
        raise port.failure.error()
    values: dict[str, object] = {
        "task": task,
        "batch": batch,
        "precision": precision,
        "compile": compiled,
        "device": device,
        "threads": threads,
        "tag": tag,
    }
    request = BenchRequest(
        load=port.request,
        model=model.id,
        port=port.name,
        framework=port.framework,
        command=measuring.command("run", source, values),
        processes=processes,
        seconds=seconds,
        steps=steps,
        task=task,
        batch=batch,
        precision=precision,
        compile=compiled,
        device=device,
        threads=threads,
        tag=tag,
    )
    result = runner.run(request, progress=lambda step: click.echo(step, err=True))
    file = record.write(result, Path(model.folder))
    if result.step_ms is None:
        raise ModeldocsError("no step was timed")
    rate = metrics.samples_per_second(result)
    click.echo(
        f"{result.step_ms.p50:.4g} ms per step (median of {result.step_ms.n}), "
        f"{rate:.4g} samples/s on {result.device.name}, "
        f"{result.software.framework} {result.software.framework_version}"
    )
    for note in result.notes:
        click.echo(f"note: {note}")
    click.echo(f"wrote {terminal.relative(file)}")
