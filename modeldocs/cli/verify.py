"""`modeldocs verify`: a port's graph held against what its framework computes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.table import Table

from modeldocs import catalog, sources, spelling, tasks
from modeldocs.catalog import Catalog
from modeldocs.cli import options, printing, terminal
from modeldocs.proof import Proof, count_verified, prover
from modeldocs.site.progress import shown_progress
from modeldocs.struct import Struct
from modeldocs.tasks.names import port_name
from modeldocs.tasks.store import Store


class Verified(Struct, frozen=True):
    """A source and its proof, as `--json` tells them."""

    source: str
    verdict: str
    proof: Proof


@click.command(short_help="Prove ports against their own frameworks.")
@click.argument("source", nargs=-1)
@options.models
@options.framework
@options.arguments
@options.inputs
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=Path(".modeldocs"),
    show_default=True,
    help="Where results are kept.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Processes at once.  [default: one a core]"
)
@click.option("--strict", is_flag=True, help="Exit with 1 unless every port is verified.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(
    source: tuple[str, ...],
    models: Path,
    framework: str | None,
    args: str | None,
    inputs: tuple[str, ...],
    store: Path,
    jobs: int | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Run each SOURCE in its framework and in onnxruntime, and compare the numbers.

    The framework's model gets designed weights; what was loaded gets the same. Without SOURCE every
    port of the catalog is verified. SOURCE may also name a model of the catalog. Proofs of the
    catalog's ports are kept, and shown on their pages. A port that disagrees makes the exit code 1.
    """
    if framework or args or inputs or (source and not _cataloged(source, models)):
        made = [_alone(one, models, framework, args, inputs) for one in source]
    else:
        made = _in_catalog(source, models, store, jobs)
    if as_json:
        printing.echo(made, indent=2)
    else:
        _tell(made)
    failing = ("disagrees", "not run") if strict else ("disagrees",)
    wrong = [one for one in made if one.verdict in failing]
    if wrong:
        names = ", ".join(one.source for one in wrong)
        click.echo(terminal.safe(f"not verified: {names}"), err=True)
        sys.exit(1)


def _cataloged(source: tuple[str, ...], models: Path) -> bool:
    if not models.is_dir():
        return False
    found = catalog.read(models)
    known = {model.id for model in found.models}
    return all(one in found or one in known for one in source)


def _in_catalog(
    source: tuple[str, ...], models: Path, store: Path, jobs: int | None
) -> list[Verified]:
    whole = catalog.read(models)
    only = _only(whole, source)
    held = _needed(whole, only)
    terminal.doubt(*(port for model in held.models for port in model.ports))
    with shown_progress() as progress:
        results = tasks.verify(held, Store(store), only, jobs=jobs, progress=progress)
    made = []
    for model in held.models:
        for port in model.ports:
            if port_name(model, port) in only:
                failure = results.loaded(model, port).failure
                proof = results.proof(model, port) or Proof(failure=failure)
                name = port_name(model, port)
                made.append(Verified(source=name, verdict=proof.verdict, proof=proof))
    return made


def _only(whole: Catalog, source: tuple[str, ...]) -> set[str]:
    """Names of the ports that are meant."""
    return {
        port_name(model, port)
        for model in whole.models
        for port in model.ports
        if not source or model.id in source or port_name(model, port) in source
    }


def _needed(whole: Catalog, only: set[str]) -> Catalog:
    """The models of those ports: with all their ports, where one is held against another."""
    models = []
    for model in whole.models:
        meant = tuple(port for port in model.ports if port_name(model, port) in only)
        alone = all(port.failure or tasks.subject(port).provable for port in meant)
        if meant:
            models.append(msgspec.structs.replace(model, ports=meant if alone else model.ports))
    return Catalog(root=whole.root, models=tuple(models))


def _alone(
    source: str, models: Path, framework: str | None, args: str | None, inputs: tuple[str, ...]
) -> Verified:
    """Prove what is no port of the catalog; nothing is kept of it."""
    given: dict[str, Any] = {
        "framework": framework,
        "args": options.parse_args(args),
        "inputs": sources.parse_inputs(inputs),
    }
    with sources.resolve(source, models, **given) as port:
        terminal.doubt(port)
        proof = prover.prove(tasks.subject(port))
    if proof.failure is not None:
        raise proof.failure.error()
    return Verified(source=source, verdict=proof.verdict, proof=proof)


def _tell(made: list[Verified]) -> None:
    console = terminal.console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("port", "against", "relative error", "parameters", "verdict"):
        right = heading == "relative error"
        table.add_column(
            heading,
            justify="right" if right else "left",
            no_wrap=heading == "port",
            overflow="fold",
        )
    for one in made:
        table.add_row(*(terminal.safe(cell) for cell in _cells(one)))
    console.print(table, markup=False)
    counts = {
        v: sum(one.verdict == v for one in made) for v in ("verified", "disagrees", "not run")
    }
    console.print(", ".join(f"{n} {v}" for v, n in counts.items() if n) or "nothing to verify")
    if len(made) > 1 and counts["verified"]:
        console.print(f"verified: {count_verified(one.proof for one in made)}")


def _cells(one: Verified) -> list[str]:
    proof = one.proof
    why = f": {proof.failure.reason}" if proof.failure else ""
    if proof.first:
        why = f", first at {proof.first}"
    worst = proof.worst
    error = "" if worst is None else spelling.error(worst.relative)
    return [one.source, proof.reference, error, _counts(proof), one.verdict + why]


def _counts(proof: Proof) -> str:
    """The graph's parameters, and the framework's where it counts others."""
    if proof.ours is None:
        return ""
    ours = f"{proof.ours.trainable:,} + {proof.ours.frozen:,}"
    if proof.theirs is None or proof.theirs == proof.ours:
        return ours
    return f"{ours}, {proof.theirs.trainable:,} + {proof.theirs.frozen:,} there"
