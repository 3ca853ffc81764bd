"""`modeldocs verify`: compare ports with their own frameworks."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click
import msgspec
from rich.table import Table

from modeldocs import catalog, formatting
from modeldocs.catalog import Catalog
from modeldocs.cli import options, printing, terminal
from modeldocs.interface.verification import Verified
from modeldocs.numeric.proof import Proof, count_verified, prover
from modeldocs.site import configured_store
from modeldocs.site.progress import shown_progress
from modeldocs.tasks import build
from modeldocs.tasks.names import port_name
from modeldocs.tasks.proof import subject


@click.command(short_help="Compare ports with their own frameworks.")
@click.argument("source", nargs=-1)
@options.models
@options.framework
@options.arguments
@options.inputs
@options.store
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Number of processes.  [default: one per core]"
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 unless every port is verified; with 2 if the machine failed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the proofs as JSON.")
def verify(
    source: tuple[str, ...],
    models: Path,
    framework: str | None,
    args: str | None,
    inputs: tuple[str, ...],
    store: str | None,
    jobs: int | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Run each SOURCE in its framework and in onnxruntime, and compare the outputs.

    Both get the same weights and inputs. SOURCE is what `modeldocs load` accepts, or a model of
    the catalog; without SOURCE every port of the catalog is verified. Proofs of the catalog's
    ports are stored and shown on their pages. The exit code is 1 if a port disagrees with its
    framework.
    """
    if framework or args or inputs or (source and not _cataloged(source, models)):
        results = [_uncataloged(one, models, framework, args, inputs) for one in source]
    else:
        results = _in_catalog(source, models, store, jobs)
    if as_json:
        printing.echo(results, indent=2)
    else:
        _show(results)
    failing = ("disagrees", "not run") if strict else ("disagrees",)
    found = [result for result in results if result.verdict in failing]
    names = [result.source for result in found]
    if names:
        click.echo(terminal.safe(f"not verified: {', '.join(names)}"), err=True)
        sys.exit(2 if all(result.is_prevented for result in found) else 1)


def _cataloged(source: tuple[str, ...], models: Path) -> bool:
    if not models.is_dir():
        return False
    whole = catalog.read(models)
    ids = {model.id for model in whole.models}
    return all(name in whole or name in ids for name in source)


def _in_catalog(
    source: tuple[str, ...], models: Path, location: str | None, jobs: int | None
) -> list[Verified]:
    whole = catalog.read(models)
    names = _names(whole, source)
    needed = _needed(whole, names)
    terminal.warn(*(port for model in needed.models for port in model.ports))
    store = configured_store.store_at(location)
    with store.in_use(), shown_progress() as progress:
        results = build.verify(needed, store, names, jobs=jobs, progress=progress)
    verified = []
    for model in needed.models:
        for port in model.ports:
            name = port_name(model, port)
            if name in names:
                failure = results.loaded(model, port).failure
                proof = results.proof(model, port) or Proof(failure=failure)
                verified.append(Verified(source=name, verdict=proof.verdict, proof=proof))
    return verified


def _names(whole: Catalog, source: tuple[str, ...]) -> set[str]:
    """Names of the ports that `source` selects, all where it is empty."""
    return {
        port_name(model, port)
        for model in whole.models
        for port in model.ports
        if not source or model.id in source or port_name(model, port) in source
    }


def _needed(whole: Catalog, names: set[str]) -> Catalog:
    """The models with the named ports; with all ports where one can only be proven by another."""
    models = []
    for model in whole.models:
        ports = tuple(port for port in model.ports if port_name(model, port) in names)
        provable = all(port.failure or subject(port).provable for port in ports)
        if ports:
            models.append(msgspec.structs.replace(model, ports=ports if provable else model.ports))
    return Catalog(root=whole.root, models=tuple(models))


def _uncataloged(
    source: str, models: Path, framework: str | None, args: str | None, inputs: tuple[str, ...]
) -> Verified:
    """Prove a source that is not a port of the catalog; its proof is not stored."""
    with options.resolve(source, models, framework, args, inputs) as port:
        terminal.warn(port)
        proof = prover.prove(subject(port))
    if proof.failure is not None:
        raise proof.failure.error()
    return Verified(source=source, verdict=proof.verdict, proof=proof)


def _show(results: list[Verified]) -> None:
    """Print a table of proofs, and the number of ports by verdict."""
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
    for result in results:
        table.add_row(*(terminal.safe(cell) for cell in _cells(result)))
    console.print(table, markup=False)
    counts = Counter(result.verdict for result in results)
    ordered = [v for v in ("verified", "disagrees", "not run") if counts[v]]
    console.print(", ".join(f"{counts[v]} {v}" for v in ordered) or "nothing to verify")
    if len(results) > 1 and counts["verified"]:
        console.print(f"verified: {count_verified(result.proof for result in results)}")


def _cells(result: Verified) -> list[str]:
    proof = result.proof
    why = f": {proof.failure.reason}" if proof.failure else ""
    if proof.first:
        why = f", first at {proof.first}"
    worst = proof.worst
    error = "" if worst is None else formatting.error(worst.relative)
    return [result.source, proof.reference, error, _counts(proof), result.verdict + why]


def _counts(proof: Proof) -> str:
    """Trainable and other parameters of the graph; also the framework's where they differ."""
    if proof.ours is None:
        return ""
    ours = f"{proof.ours.trainable:,} + {proof.ours.frozen:,}"
    if proof.theirs is None or proof.theirs == proof.ours:
        return ours
    return f"{ours}, {proof.theirs.trainable:,} + {proof.theirs.frozen:,} there"
