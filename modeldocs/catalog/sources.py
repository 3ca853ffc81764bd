"""The files of a model's folder that define it, and those that would if a loader read them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from modeldocs import loaders, machine
from modeldocs.catalog.manifest import NAME, RECORDS, Manifest
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.formatting import is_text
from modeldocs.loaders import unread_formats
from modeldocs.loaders.python_source import python_file
from modeldocs.loaders.unread_formats import Holds

PLAIN_STEMS = ("model", "deploy", "net", "network")


def definitions(folder: Path, manifest: Manifest) -> list[tuple[Path, str]]:
    """The files that define the model, each with its framework."""
    files = _files(folder)
    helpers = _helpers(files)
    return [
        (path, framework)
        for path in files
        if (framework := recognised(path))
        and (path.suffix != ".py" or _is_port(path, framework, helpers, manifest))
    ]


def unread(folder: Path, manifest: Manifest, known: Collection[Path | None]) -> list[Failure]:
    """What is wrong with networks in a folder that no loader reads, and that are no ports.

    Settings of a library's network lie beside ports that read them, and are told of alone.
    """
    files = _files(folder)
    failures = []
    for path in files:
        is_known = path in known or path.name in (NAME, RECORDS)  # looking into these takes time
        form = None if is_known else unread_formats.of(path)
        if form is None or form.holds is Holds.WEIGHTS or (form.holds is Holds.SETTINGS and known):
            continue
        framework = form.name.rpartition(" ")[2].lower()  # "Python of JAX" may be in jax.py
        if path.suffix == ".py" and not _is_port(path, framework, _helpers(files), manifest):
            continue
        error = unread_formats.error(path) if not recognised(path) else None
        if error is not None:
            failures.append(Failure.of(error))
    return failures


def recognised(path: Path) -> str:
    """The framework that a file is recognised as; empty where it is none, or cannot be read.

    Raises:
        OSError: the machine cannot read it now; without it a port would vanish.
    """
    try:
        return loaders.recognise(path) or ""
    except OSError as error:
        if machine.cause_in_ours(error) is not None:
            raise
        return ""


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.name[0] not in "._" and is_text(p.name))


def _helpers(files: Sequence[Path]) -> set[str]:
    """Names of modules that a Python file among these imports."""
    imports = [python_file.imports(path) for path in files if path.suffix == ".py"]
    return {name for one in imports for name in one.absolute | one.relative}


def _is_port(path: Path, framework: str, helpers: set[str], manifest: Manifest) -> bool:
    """Whether a Python file is a port, not a helper: by its name, or because it has inputs."""
    if path.stem in (framework, path.parent.name, *PLAIN_STEMS) or path.stem in manifest.ports:
        return True
    try:
        tree = python_file.parse(path)
    except ModeldocsError:
        return path.stem not in helpers
    if "INPUTS" in python_file.assigned_names(tree):
        return True
    return path.stem not in helpers and bool(manifest.inputs)
