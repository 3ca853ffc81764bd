"""`modeldocs env`: the environments that frameworks run in."""

from __future__ import annotations

import time
from pathlib import Path

import click

from modeldocs import catalog, environments
from modeldocs.catalog import Port
from modeldocs.cli import options
from modeldocs.environments import Environment, creation
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import isolated
from modeldocs.tasks.names import port_name


@click.group(short_help="List and make the environments of frameworks.")
def env() -> None:
    """Frameworks whose needs clash with others run in environments of their own.

    They are made by uv from lock files of this package, or from the `environment:` of a port in
    model.yml, and kept in the user's cache folder (or in $MODELDOCS_ENVIRONMENTS).
    """


@env.command("list", short_help="Show the environments, and whether they are there.")
@options.models
def listed(models: Path) -> None:
    """Show every environment: whether it is there, what is in it, and which ports need it."""
    used = _used(models)
    for held in _known(used):
        state = "ready" if held.ready else "missing"
        click.echo(f"{'✓' if held.ready else '✗'} {held.name:14} {state:8} {held.description}")
        ports = used.get(held, [])
        if ports:
            shown = ", ".join(ports[:4]) + (f" and {len(ports) - 4} more" if ports[4:] else "")
            click.echo(f"  {'':14} for {shown}")
        if not held.ready:
            click.echo(f"  {'':14} make it: {environments.command(held)}")


@env.command("create", short_help="Make environments that are missing.")
@click.argument("name", nargs=-1, metavar="[NAME]...")
@options.models
@click.option("--again", is_flag=True, help="Make them anew, even if they are there.")
def create(name: tuple[str, ...], models: Path, again: bool) -> None:
    """Make the environments named, or without a NAME all that the catalog's ports need.

    NAME is an environment as `modeldocs env list` shows it, or `model/port` for the one that a
    port asks for in its model.yml.
    """
    wanted = [_named(one, models) for one in name] if name else list(_used(models))
    for held in wanted:
        started = time.monotonic()
        made = creation.create(held, again=again)
        took = f"made in {time.monotonic() - started:.0f} s" if made else "was there already"
        click.echo(f"✓ {held.name:14} {took}: {held.description}")
    if not wanted:
        click.echo("no port needs an environment of its own")


def _named(name: str, models: Path) -> Environment:
    if "/" not in name:
        return environments.locked(name)
    port = catalog.read(models).port(name)[1]
    held = next(iter(_needed(port)), None)
    if held is None:
        raise ModeldocsError(f"{name} needs no environment of its own")
    return held


def _known(used: dict[Environment, list[str]]) -> list[Environment]:
    locked = [environments.locked(name) for name in environments.names()]
    return [*locked, *(held for held in used if held not in locked)]


def _used(models: Path) -> dict[Environment, list[str]]:
    """The environments that a catalog's ports load and are proven in, each with the ports."""
    used: dict[Environment, list[str]] = {}
    for model in catalog.read(models).models if models.is_dir() else ():
        for port in model.ports:
            for held in _needed(port):
                used.setdefault(held, []).append(port_name(model, port))
    return used


def _needed(port: Port) -> list[Environment]:
    if port.failure is not None:
        return []
    both = [
        isolated.environment(port.framework, port.request, proving=proving)
        for proving in (False, True)
    ]
    return list(dict.fromkeys(held for held in both if held is not None))
