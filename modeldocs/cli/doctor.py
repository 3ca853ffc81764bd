"""`modeldocs doctor`: what is installed, what is missing, the command that fixes it."""

from __future__ import annotations

import sys
from importlib import metadata, util
from pathlib import Path

import click

from modeldocs import __version__, environments, loaders
from modeldocs.isolation import landlock
from modeldocs.loaders.isolated import framework_version


@click.command(short_help="Check what is installed here.")
def doctor() -> None:
    """Check what is installed here, and say how to fix what is not."""
    lines = [("modeldocs", __version__, ""), _python(), _isolation(), _graphviz(), *_loaders()]
    lines += [*_environments(), _catalog()]
    for name, state, fix in lines:
        click.echo(f"{'✗' if fix else '✓'} {name:14} {state}")
        if fix:
            click.echo(f"  {'':14} fix: {fix}")


def _python() -> tuple[str, str, str]:
    return "python", ".".join(map(str, sys.version_info[:3])), ""


def _isolation() -> tuple[str, str, str]:
    held = landlock.version()
    if held:
        return "isolation", f"ports are kept from other files (Landlock {held})", ""
    said = "ports can read what you can: this kernel has no Landlock"
    return "isolation", said, "load what others wrote in a container, or on Linux 5.13 or newer"


def _graphviz() -> tuple[str, str, str]:
    found = util.find_spec("pygraphviz") is not None
    state = f"pygraphviz {metadata.version('pygraphviz')}, Graphviz inside" if found else "missing"
    return "diagrams", state, "" if found else "pip install pygraphviz"


def _loaders() -> list[tuple[str, str, str]]:
    found = []
    for name in loaders.frameworks():
        described = loaders.loader(name)
        if isinstance(described, loaders.BrokenLoader):
            found.append((name, described.error.reason, described.error.fix or ""))
            continue
        version = framework_version(name)
        if version is None:
            fix = f'pip install "modeldocs[{described.extra or name}]"'
            found.append((name, f"{described.title} is not installed", fix))
        else:
            found.append((name, f"{described.title} {version}".rstrip(), ""))
    return found


def _environments() -> list[tuple[str, str, str]]:
    found = []
    for name in environments.names():
        held = environments.locked(name)
        state = f"{'ready' if held.ready else 'not made yet'}: {held.description}"
        found.append((f"env {name}", state, "" if held.ready else environments.command(held)))
    return found


def _catalog() -> tuple[str, str, str]:
    if not Path("models").is_dir():
        return "catalog", "no models/ in this folder", "modeldocs new ."
    from modeldocs import catalog

    found = catalog.read(Path("models"))
    ports = sum(len(model.ports) for model in found.models)
    counts = ((len(found.models), "model"), (ports, "port"))
    told = ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for number, word in counts)
    return "catalog", f"{told} in models/", ""
