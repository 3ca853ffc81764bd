"""`modeldocs env`: list and create the environments of frameworks."""

from __future__ import annotations

import time
from pathlib import Path

import click

from modeldocs import catalog, environments
from modeldocs.catalog import Port
from modeldocs.cli import options
from modeldocs.environments import Environment, creation
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import loading
from modeldocs.tasks.names import port_name


@click.group(short_help="List and create the environments of frameworks.")
def env() -> None:
    """Manage the Python environments that some frameworks run in.

    Frameworks whose requirements conflict with others have an environment of their own. uv creates
    it from a lock file of modeldocs, or from the `environment:` of a port in model.yml. It is kept
    in the user's cache folder, or in $MODELDOCS_ENVIRONMENTS.
    """


@env.command("list", short_help="List the environments and their state.")
@options.models
def list_(models: Path) -> None:
    """List every environment: its state, its content, and the ports that need it."""
    ports = _ports_by_environment(models)
    locked = [environments.locked(name) for name in environments.names()]
    for environment in dict.fromkeys([*locked, *ports]):
        ready = environment.ready
        mark, state = ("✓", "ready") if ready else ("✗", "missing")
        click.echo(f"{mark} {environment.name:14} {state:8} {environment.description}")
        names = ports.get(environment, [])
        if names:
            shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if names[4:] else "")
            click.echo(f"  {'':14} for {shown}")
        if not ready:
            click.echo(f"  {'':14} create it: {environments.command(environment)}")


@env.command("create", short_help="Create missing environments.")
@click.argument("name", nargs=-1, metavar="[NAME]...")
@options.models
@click.option("--again", is_flag=True, help="Create environments again that exist already.")
def create(name: tuple[str, ...], models: Path, again: bool) -> None:
    """Create the named environments; without NAME, those that the catalog's ports need.

    NAME is an environment of `modeldocs env list`, or `model/port` for the environment that a port
    declares in its model.yml.
    """
    if name:
        missing = [_environment(one, models) for one in name]
    else:
        missing = list(_ports_by_environment(models))
    for environment in missing:
        start = time.monotonic()
        created = creation.create(environment, again=again)
        seconds = time.monotonic() - start
        state = f"created in {seconds:.0f} s" if created else "exists already"
        click.echo(f"✓ {environment.name:14} {state}: {environment.description}")
    if not missing:
        click.echo("no port needs an environment of its own")


def _environment(name: str, models: Path) -> Environment:
    """The environment of that name, or of the port `model/port`.

    Raises:
        ModeldocsError: there is none.
    """
    if "/" not in name:
        return environments.locked(name)
    port = catalog.read(models).port(name)[1]
    environment = next(iter(_environments(port)), None)
    if environment is None:
        raise ModeldocsError(f"{name} needs no environment of its own")
    return environment


def _ports_by_environment(models: Path) -> dict[Environment, list[str]]:
    """The environments of a catalog's ports, each with the names of the ports that need it."""
    ports: dict[Environment, list[str]] = {}
    for model in catalog.read(models).models if models.is_dir() else ():
        for port in model.ports:
            for environment in _environments(port):
                ports.setdefault(environment, []).append(port_name(model, port))
    return ports


def _environments(port: Port) -> list[Environment]:
    """The environments that a port is loaded and proven in."""
    if port.failure is not None:
        return []
    both = [
        loading.environment(port.framework, port.request, proving=proving)
        for proving in (False, True)
    ]
    return list(dict.fromkeys(one for one in both if one is not None))
