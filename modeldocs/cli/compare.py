"""`modeldocs diff`: compare two sources."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from modeldocs import diff as engine
from modeldocs import parity as numbers
from modeldocs.cli import differences, options, printing
from modeldocs.cli.inspect import load_port
from modeldocs.diff import Diff, WeightMap
from modeldocs.diff import weights as maps
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.loaders.isolated import Loaded
from modeldocs.site.pair import comparison, policies, report
from modeldocs.site.pair.verdict import Graphs
from modeldocs.site.templating import Templates


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
    help="Write a report as one HTML file.",
)
@click.option(
    "--parity", is_flag=True, help="Run both with the same weights and compare their outputs."
)
@click.option(
    "--weights",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write as JSON how each weight of B is computed from A's.",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(list(policies.POLICIES)),
    help="Exit with 1 on this difference; can be given several times. different: any change but "
    "of spelling, or other numbers with --parity. parameters: another number of parameters. shape: "
    "another tensor shape. parity: other numbers, or numbers that could not be compared; implies "
    "--parity.",
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

    A and B may be anything that `modeldocs load` accepts: model/port, files, or a file at a git
    revision (git:HEAD~1:path). The exit code is 0 whatever the differences, unless --fail-on is
    given.
    """
    for file in (html, weights):
        if file is not None and not file.parent.is_dir():
            raise ModeldocsError(
                "its folder does not exist",
                file=str(file),
                fix="create the folder first",
            )
    loaded, limits = _load((a, b), models, framework, inputs)
    graphs = _graphs(loaded)
    result = engine.compare(*graphs)
    if parity or "parity" in fail_on:
        ports_parity = numbers.compare(loaded[0].normal, loaded[1].normal, result, limits)
        result = comparison.with_parity(result, ports_parity)
    if weights is not None:
        weights.write_bytes(_weight_map((a, b), loaded, result, limits))
    if html is not None:
        text = report.html(result, graphs, (a, b), Templates())
        html.write_text(text, "utf-8")
    if as_json:
        printing.echo(result)
    else:
        differences.show(result, graphs, (a, b))
    _check(result, graphs, fail_on)


def _load(
    both: tuple[str, str], models: Path, framework: str | None, inputs: tuple[str, ...]
) -> tuple[tuple[Loaded, Loaded], Limits]:
    """Both sources loaded, and the limits of running them."""
    loads = []
    for source in both:
        with options.resolve(source, models, framework, None, inputs) as port:
            loads.append((load_port(port)[1], port.limits))
    (a, a_limits), (b, b_limits) = loads
    return (a, b), a_limits.wider(b_limits)


def _weight_map(
    names: tuple[str, str], loaded: tuple[Loaded, Loaded], result: Diff, limits: Limits
) -> bytes:
    """The JSON of how A's weights become B's, from the parity where that was run."""
    parity = result.parity
    weights = parity.a_to_b.weights if parity is not None and parity.failure is None else None
    if not weights:
        weights = numbers.weight_map(loaded[0].normal, loaded[1].normal, result, limits)
    a, b = names
    return maps.encode(WeightMap(a=a, b=b, weights=weights))


def _graphs(loaded: tuple[Loaded, Loaded]) -> Graphs:
    a, b = (one.graph for one in loaded)
    assert a is not None and b is not None
    return a, b


def _check(result: Diff, graphs: Graphs, fail_on: tuple[str, ...]) -> None:
    """Exit with code 1 if a policy is violated."""
    violations = policies.violations(result, graphs, fail_on)
    if violations:
        click.echo(f"modeldocs: fails on {', '.join(violations)}", err=True)
        sys.exit(1)
