"""`modeldocs doctor`: what is installed, what is missing, and how to install it."""

from __future__ import annotations

import sys
from importlib import metadata, util
from pathlib import Path

import click

from modeldocs import __version__, environments, loaders
from modeldocs.cli import terminal
from modeldocs.isolation import landlock
from modeldocs.loaders.loading import framework_version, installation


@click.command(short_help="Check the installation.")
def doctor() -> None:
    """Check what is installed, and say how to install what is missing."""
    lines = [("modeldocs", __version__, ""), _python(), _isolation(), _graphviz(), *_loaders()]
    lines += [*_environments(), _catalog()]
    for name, state, fix in lines:
        click.echo(f"{'✗' if fix else '✓'} {name:14} {state}")
        if fix:
            click.echo(f"  {'':14} fix: {fix}")


def _python() -> tuple[str, str, str]:
    return "python", ".".join(map(str, sys.version_info[:3])), ""


def _isolation() -> tuple[str, str, str]:
    version = landlock.version()
    if version:
        return "isolation", f"ports can read only their own files (Landlock {version})", ""
    state = "ports can read all your files: this kernel has no Landlock"
    return "isolation", state, "load code of others in a container, or on Linux 5.13 or newer"


def _graphviz() -> tuple[str, str, str]:
    if util.find_spec("pygraphviz") is None:
        return "diagrams", "missing", "pip install pygraphviz"
    return "diagrams", f"pygraphviz {metadata.version('pygraphviz')}, with Graphviz", ""


def _loaders() -> list[tuple[str, str, str]]:
    lines = []
    for name in loaders.frameworks():
        loader = loaders.loader(name)
        if isinstance(loader, loaders.BrokenLoader):
            lines.append((name, loader.error.reason, loader.error.fix or ""))
            continue
        version = framework_version(name)
        if version is None:
            lines.append((name, f"{loader.title} is not installed", installation(loader)))
        else:
            lines.append((name, f"{loader.title} {version}".rstrip(), ""))
    return lines


def _environments() -> list[tuple[str, str, str]]:
    lines = []
    for name in environments.names():
        environment = environments.locked(name)
        state = f"{'ready' if environment.ready else 'not created'}: {environment.description}"
        fix = "" if environment.ready else environments.command(environment)
        lines.append((f"env {name}", state, fix))
    return lines


def _catalog() -> tuple[str, str, str]:
    if not Path("models").is_dir():
        return "catalog", "no models/ in this folder", "modeldocs new ."
    from modeldocs import catalog

    models = catalog.read(Path("models")).models
    ports = sum(len(model.ports) for model in models)
    counts = terminal.counts((len(models), "model"), (ports, "port"))
    return "catalog", f"{counts} in models/", ""
