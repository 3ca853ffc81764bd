"""`modeldocs diff`: two sources compared."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from modeldocs import diff as engine
from modeldocs import parity as numbers
from modeldocs import sources
from modeldocs.cli import differences, options, policies, printing
from modeldocs.cli.inspect import load_port
from modeldocs.diff import Diff, WeightMap
from modeldocs.diff import weights as maps
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.loaders.isolated import Loaded
from modeldocs.site import comparison, report
from modeldocs.site.templating import Templates
from modeldocs.site.verdict import Graphs


@click.command(short_help="Compare two ports or files, layer by layer.")
@click.argument("a")
@click.argument("b")
@options.models
@options.framework
@options.inputs
@click.option("--json", "as_json", is_flag=True, help="Print the diff as JSON.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a report as one HTML file that stands alone.",
)
@click.option("--parity", is_flag=True, help="Run both with the same weights, and compare.")
@click.option(
    "--weights",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write how each weight of B is made of A's, as JSON that a script can apply.",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(list(policies.POLICIES)),
    help="Exit with 1 if the two are different (parity included, where it was run), if their "
    "parameters or the shape of a tensor differ, or unless parity holds, which runs it. "
    "Can be given several times.",
)
def diff(
    a: str,
    b: str,
    models: Path,
    framework: str | None,
    inputs: tuple[str, ...],
    as_json: bool,
    html: Path | None,
    parity: bool,
    weights: Path | None,
    fail_on: tuple[str, ...],
) -> None:
    """Compare the sources A and B: which layers correspond, and what differs.

    A and B are what `modeldocs load` takes: two ports, two files, a file and itself at another
    revision (git:HEAD~1:path). Differences are information: the exit code is 0 whatever they are,
    unless --fail-on declares otherwise.
    """
    for file in (html, weights):
        if file is not None and not file.parent.is_dir():
            raise ModeldocsError(
                "there is no such folder to write it in",
                file=str(file),
                fix="make the folder first",
            )
    loaded, limits = _load((a, b), models, framework, inputs)
    graphs = _graphs(loaded)
    made = engine.compare(*graphs)
    if parity or "parity" in fail_on:
        ran = numbers.compare(loaded[0].normal, loaded[1].normal, made, limits)
        made = comparison.with_parity(made, ran)
    if weights is not None:
        weights.write_bytes(_map((a, b), loaded, made, limits))
    if html is not None:
        text = report.html(made, graphs, (a, b), Templates())
        html.write_text(text, "utf-8")
    if as_json:
        printing.echo(made)
    else:
        differences.tell(made, graphs, (a, b))
    _check(made, graphs, fail_on)


def _load(
    both: tuple[str, str], models: Path, framework: str | None, inputs: tuple[str, ...]
) -> tuple[tuple[Loaded, Loaded], Limits]:
    """Both sources loaded, and what running them may take."""
    shapes = sources.parse_inputs(inputs)
    made = []
    for source in both:
        with sources.resolve(source, models, framework=framework, inputs=shapes) as port:
            made.append((load_port(port)[1], port.limits))
    (a, least), (b, other) = made
    return (a, b), least.wider(other)


def _map(both: tuple[str, str], loaded: tuple[Loaded, Loaded], made: Diff, limits: Limits) -> bytes:
    """The file of how A's weights become B's."""
    ran = made.parity is not None and made.parity.failure is None
    carried = made.parity.a_to_b.weights if made.parity and ran else None
    carried = carried or numbers.weight_map(loaded[0].normal, loaded[1].normal, made, limits)
    a, b = both
    return maps.encode(WeightMap(a=a, b=b, weights=carried))


def _graphs(loaded: tuple[Loaded, Loaded]) -> Graphs:
    a, b = (one.graph for one in loaded)
    assert a is not None and b is not None
    return a, b


def _check(made: Diff, graphs: Graphs, fail_on: tuple[str, ...]) -> None:
    """End with exit code 1 if a policy is tripped."""
    told = policies.tripped(made, graphs, fail_on)
    if told:
        click.echo(f"modeldocs: fails on {', '.join(told)}", err=True)
        sys.exit(1)
