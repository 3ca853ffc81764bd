"""Files of a change that nobody has reviewed yet: what a preview does not do with them.

Code of ports runs isolated, as everywhere. Beyond that a preview follows no link out of the
repository, whose target a page would show, reads no huge files, and shows notes of `model.yml` as
text: elsewhere they may hold HTML.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from modeldocs.catalog import Catalog, Model
from modeldocs.errors import Failure
from modeldocs.site.templating import escape_markdown

MAX_FILE_BYTES = 64 << 20
"""Larger files of a catalog are not read in a preview."""

_POINTER_BYTES = 1024
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:[^\n]*\n)*?oid sha256:([0-9a-f]{64})\n"
)


def clear(models: Path, tree: Path) -> dict[str, list[Failure]]:
    """Delete from a checkout's catalog the links that lead out of `tree`, and huge files.

    Returns a failure for each, by the name of the folder of its model.
    """
    failures: dict[str, list[Failure]] = defaultdict(list)
    for path, failure in list(_refused(models, tree)):
        path.unlink()
        failures[path.relative_to(models).parts[0]].append(failure)
    return failures


def with_failures(catalog: Catalog, failures: Mapping[str, list[Failure]]) -> Catalog:
    """The catalog with what `clear` deleted as failures of its models."""
    models = {Path(model.folder).name: model for model in catalog.models}
    for folder in failures.keys() - models.keys():
        models[folder] = Model(id=folder, folder=str(Path(catalog.root, folder)))
    return msgspec.structs.replace(
        catalog,
        models=tuple(
            msgspec.structs.replace(model, failures=(*failures.get(name, ()), *model.failures))
            for name, model in sorted(models.items())
        ),
    )


def as_text(catalog: Catalog) -> Catalog:
    """The catalog with its notes as Markdown that shows them literally."""
    return msgspec.structs.replace(
        catalog, models=tuple(_as_text(model) for model in catalog.models)
    )


def fill(models: Path, objects: Path) -> None:
    """Put files that Git LFS keeps in `objects` in place of their pointers in a checkout's catalog.

    The program itself would ask the server that a file of the change names. Content that is not
    there, or is not what the pointer says, leaves the pointer.
    """
    for path in sorted(models.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _POINTER_BYTES:
            pointer = _POINTER.match(path.read_bytes())
            name = pointer[1].decode() if pointer is not None else ""
            held = Path(objects, name[:2], name[2:4], name)
            if name and held.is_file() and held.stat().st_size <= MAX_FILE_BYTES:
                with held.open("rb") as stream:
                    digest = hashlib.file_digest(stream, "sha256").hexdigest()
                if digest == name:
                    shutil.copyfile(held, path)


def _refused(models: Path, tree: Path) -> Iterator[tuple[Path, Failure]]:
    for path in sorted(models.rglob("*")):  # which follows no links
        name = str(path.relative_to(models))
        if path.is_symlink():
            # Unlike `Path.resolve` this raises no error where links lead in a circle.
            if not Path(os.path.realpath(path)).is_relative_to(tree):
                yield (
                    path,
                    Failure(
                        reason="is a link that leads out of the repository",
                        file=name,
                        fix="put the file itself there",
                    ),
                )
        elif path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
            yield (
                path,
                Failure(
                    reason=f"has {path.stat().st_size >> 20} MiB, and a preview reads files of up "
                    f"to {MAX_FILE_BYTES >> 20} MiB",
                    file=name,
                    fix="keep weights in a file of their own, which a catalog does not need",
                ),
            )


def _as_text(model: Model) -> Model:
    replace = msgspec.structs.replace
    ports = tuple(replace(port, notes=escape_markdown(port.notes)) for port in model.ports)
    manifest = replace(model.manifest, notes=escape_markdown(model.manifest.notes))
    return replace(model, manifest=manifest, ports=ports)
