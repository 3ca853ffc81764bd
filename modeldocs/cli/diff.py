"""`modeldocs diff`: compare two sources."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import click

from modeldocs import ir
from modeldocs.checkpoints.file_difference import CheckpointDiff
from modeldocs.cli import checkpoint_diff, diff_output, options, printing, target
from modeldocs.cli.load import load_ports
from modeldocs.diff import Diff, WeightMap
from modeldocs.diff import weights as maps
from modeldocs.errors import ModeldocsError
from modeldocs.interface.comparison import compared
from modeldocs.isolation import Limits
from modeldocs.numeric import parity as numbers
from modeldocs.site import configured_store, document
from modeldocs.site.pair import policies, report
from modeldocs.site.progress import shown_progress
from modeldocs.site.templating import Templates
from modeldocs.tasks.load import Load
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.store import Store
from modeldocs.verdict.sentences import Graphs


@click.command(short_help="Compare two ports or files, layer by layer.")
@click.argument("a")
@click.argument("b")
@options.models
@options.framework
@options.inputs
@options.store
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
    "--weights-a",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A trained checkpoint of A, to compare with that of --weights-b, tensor by tensor.",
)
@click.option(
    "--weights-b",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A trained checkpoint of B.",
)
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(list(policies.POLICIES)),
    help="Exit with 1 on this difference; can be given several times. different: any change but "
    "of spelling, other numbers with --parity, or other weights of checkpoints. parameters: "
    "another number of parameters. shape: another tensor shape. parity: other numbers, or numbers "
    "that could not be compared; implies --parity.",
)
def diff(
    a: str,
    b: str,
    models: Path,
    framework: str | None,
    inputs: tuple[str, ...],
    store: str | None,
    as_json: bool,
    html: Path | None,
    parity: bool,
    weights: Path | None,
    weights_a: Path | None,
    weights_b: Path | None,
    fail_on: tuple[str, ...],
) -> None:
    """Compare the sources A and B: which layers correspond, and what differs.

    A and B may be anything that `modeldocs load` accepts: model/port, files, or a file at a git
    revision (git:HEAD~1:path). The exit code is 0 whatever the differences, unless --fail-on is
    given. What was loaded and compared is kept in the store.

    With --weights-a and --weights-b two trained checkpoints are compared instead, through the map
    of weights that running both has tested: which tensors differ, by how much, and what they have
    become where that can be told. The exit code is 2 where the networks are not the same function.
    """
    if weights_a is not None or weights_b is not None:
        if html is not None or weights is not None:
            raise ModeldocsError(
                "reports and maps are of networks, not of checkpoints",
                fix="leave out --html and --weights, or both checkpoints",
            )
        with configured_store.opened_store(store, models) as opened:
            files = (weights_a, weights_b)
            found = checkpoint_diff.compared(opened, (a, b), files, models, framework, inputs)
        _show_checkpoints(found, as_json, fail_on)
        return
    with_numbers = parity or "parity" in fail_on
    target.check(html, document.SIGN, "report")
    target.check(weights, maps.SIGN, "map of weights")
    with configured_store.opened_store(store, models) as opened:
        loaded, limits = _load(opened, (a, b), models, framework, inputs)
        graphs = _graphs(opened, loaded)
        result = _compared(opened, (a, b), loaded, limits if with_numbers else None)
        if weights is not None:
            weights.write_bytes(_weight_map(opened, (a, b), loaded, result, limits))
    if html is not None:
        text = report.html(result, graphs, (a, b), Templates())
        html.write_text(text, "utf-8")
    if as_json:
        printing.echo(result)
    else:
        diff_output.show(result, graphs, (a, b))
    _check(result, graphs, fail_on)


def _show_checkpoints(found: CheckpointDiff, as_json: bool, fail_on: tuple[str, ...]) -> None:
    """Print a comparison of checkpoints; exit with code 1 where it violates a policy."""
    if as_json:
        printing.echo(found)
    else:
        checkpoint_diff.show(found)
    if found.differences and "different" in fail_on:
        click.echo("modeldocs: fails on different", err=True)
        sys.exit(1)


def _load(
    store: Store,
    both: tuple[str, str],
    models: Path,
    framework: str | None,
    inputs: tuple[str, ...],
) -> tuple[tuple[Load, Load], Limits]:
    """Both sources loaded at once, and the limits of running them."""
    with ExitStack() as resolved:
        ports = {
            source: resolved.enter_context(options.resolve(source, models, framework, None, inputs))
            for source in both
        }
        loads = load_ports(store, ports)
    a, b = both
    return (loads[a], loads[b]), ports[a].limits.wider(ports[b].limits)


def _compared(
    store: Store, names: tuple[str, str], loaded: tuple[Load, Load], limits: Limits | None
) -> Diff:
    """The diff of two sources; with their parity within `limits`, where these are given."""
    with shown_progress() as progress:
        return compared(Ports(store, progress), names, loaded, limits)


def _weight_map(
    store: Store, names: tuple[str, str], loaded: tuple[Load, Load], result: Diff, limits: Limits
) -> bytes:
    """The JSON of how A's weights become B's, from the parity where that was run."""
    parity = result.parity
    weights = parity.a_to_b.weights if parity is not None and parity.failure is None else None
    if not weights:
        a_model, b_model = (store.read(str(one.normal)) for one in loaded)
        weights = numbers.weight_map(a_model, b_model, result, limits)
    a, b = names
    return maps.encode(WeightMap(a=a, b=b, weights=weights))


def _graphs(store: Store, loaded: tuple[Load, Load]) -> Graphs:
    a, b = (ir.decode(store.read(str(one.graph))) for one in loaded)
    return a, b


def _check(result: Diff, graphs: Graphs, fail_on: tuple[str, ...]) -> None:
    """Exit with code 1 if a policy is violated.

    Raises:
        ModeldocsError: the machine failed, so that it is not known whether one is.
    """
    failure = result.parity.failure if result.parity is not None else None
    if failure is not None and failure.machine and "parity" in fail_on:
        raise failure.error()
    violations = policies.violations(result, graphs, fail_on)
    if violations:
        click.echo(f"modeldocs: fails on {', '.join(violations)}", err=True)
        sys.exit(1)
