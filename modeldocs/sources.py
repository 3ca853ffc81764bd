"""SOURCE as the command line takes it: a catalog's port, a file, a callable, any at a revision."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from modeldocs import catalog, loaders
from modeldocs.catalog import Port
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest

_MODULE = re.compile(r"[A-Za-z_]\w*(\.\w+)*:[A-Za-z_][\w.]*")


@contextmanager
def resolve(
    source: str,
    models: Path,
    *,
    framework: str | None = None,
    args: dict[str, Any] | None = None,
    inputs: dict[str, tuple[int, ...]] | None = None,
) -> Iterator[Port]:
    """The port that SOURCE names, with the options put over what the catalog says of it.

    `git:REF:path` is unpacked into a folder that is gone when the block ends.

    Raises:
        ModeldocsError: it names nothing that is there.
    """
    with tempfile.TemporaryDirectory(prefix="modeldocs-git-") as folder:
        port = (
            _at_revision(source, Path(folder))
            if source.startswith("git:")
            else _here(source, models)
        )
        request = port.request
        yield msgspec.structs.replace(
            port,
            framework=framework or port.framework or _recognised(request),
            request=msgspec.structs.replace(
                request, args=request.args | (args or {}), inputs=inputs or request.inputs
            ),
        )


def parse_inputs(given: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """`--input NAME=1,3,224,224`, any number of times; without a name, the only input.

    Raises:
        ModeldocsError: one is not written so.
    """
    found = {}
    for text in given:
        name, _, sizes = text.rpartition("=")
        try:
            found[name] = tuple(int(size) for size in sizes.split(","))
        except ValueError:
            raise ModeldocsError(
                f"--input {text!r} is not a shape", mend="write --input NAME=1,3,224,224"
            ) from None
    return found


def _here(source: str, models: Path) -> Port:
    path, _, entry = source.partition(":")
    if Path(path).exists():
        return _file(Path(path).resolve(), entry or None)
    if _MODULE.fullmatch(source):
        module, _, entry = source.partition(":")
        request = LoadRequest(root=str(Path.cwd()), module=module, entry=entry, name=entry)
        return Port(name=entry, framework="", request=request)
    if Path(path).suffix and "/" not in path:
        raise ModeldocsError("there is no such file", file=path, mend="check the path")
    if not models.is_dir():
        raise ModeldocsError(
            f"{source!r} is no file, and there is no catalog in {models.name}/ to find it in",
            mend="give a file, or run where the catalog is, or pass --models DIR",
        )
    return catalog.read(models).port(source)[1]


def _file(path: Path, entry: str | None) -> Port:
    request = LoadRequest(root=str(path.parent), path=str(path), entry=entry, name=path.stem)
    return Port(name=path.stem, framework=loaders.recognise(path) or "", request=request)


def _recognised(request: LoadRequest) -> str:
    if request.module is not None:
        raise ModeldocsError(
            f"{request.module}:{request.entry} does not tell its framework",
            mend=f"pass --framework, one of: {', '.join(loaders.frameworks())}",
        )
    raise ModeldocsError(
        "no loader recognises it",
        file=Path(str(request.path)).name,
        mend=f"pass --framework, one of: {', '.join(loaders.frameworks())}",
    )


def _at_revision(source: str, folder: Path) -> Port:
    parts = source.split(":", 3)
    if len(parts) < 3:
        raise ModeldocsError(f"{source!r} names no file", mend="write git:REF:path/to/file")
    _, revision, path, *entry = parts
    parent = str(Path(path).parent)
    made = subprocess.run(
        ["git", "archive", "--format=tar", revision, "--", parent], capture_output=True, check=False
    )
    if made.returncode or revision.startswith("-"):
        said = made.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ModeldocsError(
            f"git has no {path} at {revision}: {said[0] if said else 'no answer'}",
            mend="check the revision and the path, relative to the current folder",
        )
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as archive:
        archive.extractall(folder, filter="data")
    if not (folder / path).exists():
        raise ModeldocsError(f"git has no {path} at {revision}", mend="check the path")
    return _file(folder / path, entry[0] if entry else None)
