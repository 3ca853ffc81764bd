"""`modeldocs bench`: recorded benchmarks."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from modeldocs import catalog
from modeldocs.benchmarks import metrics, record, runner
from modeldocs.benchmarks.request import BenchRequest, Precision, Work
from modeldocs.cli import options
from modeldocs.errors import ModeldocsError


@click.group()
def bench() -> None:
    """Record how fast ports run."""


@bench.command(short_help="Measure a port, and keep the record beside it.")
@click.argument("source")
@options.models
@click.option(
    "--task",
    type=click.Choice(["inference", "training"]),
    default="inference",
    show_default=True,
    help="A forward pass, or a whole training step.",
)
@click.option(
    "--batch", type=click.IntRange(min=1), default=1, show_default=True, help="Samples a step."
)
@click.option(
    "--precision",
    type=click.Choice(["float32", "bfloat16", "float16"]),
    default="float32",
    show_default=True,
    help="Element type to compute with.",
)
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda or cuda:1.")
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Threads of one operator.  [default: the framework's choice]",
)
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Fresh processes to time in.",
)
@click.option(
    "--seconds",
    type=float,
    default=10.0,
    show_default=True,
    help="Least time of the timed steps, a process.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Fewest timed steps, a process.",
)
@click.option("--tag", help="Tells apart runs that are alike in all else.")
def run(
    source: str,
    models: Path,
    task: Work,
    batch: int,
    precision: Precision,
    device: str,
    threads: int | None,
    processes: int,
    seconds: float,
    steps: int,
    tag: str | None,
) -> None:
    """Measure SOURCE, a model/port of the catalog, and keep the record beside it."""
    model, port = catalog.read(models).port(source)
    if port.failure is not None:
        raise port.failure.error()
    given: dict[str, object] = {
        "task": task,
        "batch": batch,
        "precision": precision,
        "device": device,
    }
    given |= {"threads": threads, "tag": tag}
    request = BenchRequest(
        load=port.request,
        model=model.id,
        port=port.name,
        framework=port.framework,
        command=_command(source, given),
        processes=processes,
        seconds=seconds,
        steps=steps,
        task=task,
        batch=batch,
        precision=precision,
        device=device,
        threads=threads,
        tag=tag,
    )
    made = runner.run(request, progress=lambda said: click.echo(said, err=True))
    file = record.write(made, Path(model.folder))
    if made.step_ms is None:
        raise ModeldocsError("no step was timed")
    rate = metrics.samples_per_second(made)
    click.echo(
        f"{made.step_ms.p50:.4g} ms a step (median of {made.step_ms.n}), {rate:.4g} samples/s "
        f"on {made.device.name}, {made.software.framework} {made.software.framework_version}"
    )
    for note in made.notes:
        click.echo(f"note: {note}")
    shown = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
    click.echo(f"recorded in {shown}")


def _command(source: str, given: dict[str, object]) -> str:
    """The command as it can be typed again: what differs from the defaults, and the batch."""
    defaults = {"task": "inference", "precision": "float32", "device": "cpu"}
    words = ["modeldocs", "bench", "run", source]
    for name, value in given.items():
        if value is not None and value != defaults.get(name):
            words += [f"--{name}", str(value)]
    return shlex.join(words)
