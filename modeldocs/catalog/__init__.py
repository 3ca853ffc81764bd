"""The catalog: the folder of models, one folder a model, found by convention and `model.yml`."""

from __future__ import annotations

import difflib
from pathlib import Path

import msgspec

from modeldocs.catalog import manifest_file, ports
from modeldocs.catalog.manifest import NAME, Manifest
from modeldocs.catalog.manifest_file import Read
from modeldocs.catalog.ports import Port, address, free
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.struct import Struct

__all__ = ["RECORDS", "Catalog", "Model", "Port", "read", "read_model"]

RECORDS = "benchmarks"


class Model(Struct, frozen=True):
    """One network: what its manifest says, its ports in order of name, its mistakes."""

    id: str
    folder: str
    manifest: Manifest = Manifest()
    ports: tuple[Port, ...] = ()
    failures: tuple[Failure, ...] = ()

    @property
    def title(self) -> str:
        """The manifest's title, else the folder's name."""
        return self.manifest.title or self.id

    def port(self, name: str) -> Port | None:
        """The port of that name."""
        return next((port for port in self.ports if port.name == name), None)


class Catalog(Struct, frozen=True):
    """Every model below one folder, in order of name."""

    root: str
    models: tuple[Model, ...] = ()

    def port(self, name: str) -> tuple[Model, Port]:
        """The model and port that `model/port` names.

        Raises:
            ModeldocsError: there is none; the nearest name is told.
        """
        names = self._names()
        if name in names:
            return names[name]
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
        raise ModeldocsError(
            f"no port {name!r} in the catalog",
            fix=f"did you mean {close[0]}?" if close else f"use one of: {', '.join(names)}",
        )

    def __contains__(self, name: str) -> bool:
        return name in self._names()

    def _names(self) -> dict[str, tuple[Model, Port]]:
        return {f"{m.id}/{p.name}": (m, p) for m in self.models for p in m.ports}


def read(root: Path) -> Catalog:
    """The catalog in a folder. Mistakes inside it are told in the models, not raised.

    Raises:
        ModeldocsError: there is no such folder.
    """
    root = root.resolve()
    if not root.is_dir():
        raise ModeldocsError(
            "the catalog's folder does not exist",
            file=root.name,
            fix="pass --models DIR, or make one with `modeldocs new DIR`",
        )
    models: dict[str, Model] = {}
    folders = [p for p in root.iterdir() if p.is_dir() and p.name[0] not in "._"]
    for folder in sorted(folders, key=lambda p: (address(p.name, "") != p.name, p.name)):
        model = read_model(folder)
        if model is not None:
            name = free(model.id, models)
            models[name] = msgspec.structs.replace(model, id=name)
    return Catalog(root=str(root), models=tuple(models[name] for name in sorted(models)))


def read_model(folder: Path) -> Model | None:
    """The model in a folder; None where it holds neither port, manifest nor record.

    A manifest that cannot be read loses only itself: ports are found by convention then. Of one
    with mistakes the rest holds.
    """
    said, failures = Read(Manifest()), []
    told = (folder / NAME).exists()
    if told:
        try:
            said = manifest_file.read(folder / NAME)
        except ModeldocsError as error:
            failures.append(Failure.of(error))
    failures += [Failure.of(mistake.error) for mistake in said.mistakes]
    found = ports.find(folder, said.manifest, said.mistakes)
    if not found and not told and not (folder / RECORDS).is_dir():
        return None
    failures += [*_unaddressable(folder), *_unreferenced(folder, said.manifest, found)]
    return Model(
        id=address(folder.name, "model"),
        folder=str(folder),
        manifest=said.manifest,
        ports=tuple(found),
        failures=tuple(failures),
    )


def _unaddressable(folder: Path) -> list[Failure]:
    if address(folder.name, "") == folder.name:
        return []
    return [
        Failure(
            reason="the folder's name cannot be part of an address",
            file=folder.name,
            fix="rename it with letters, digits, . _ -",
        )
    ]


def _unreferenced(folder: Path, said: Manifest, found: list[Port]) -> list[Failure]:
    names = [port.name for port in found]
    if said.reference is None or said.reference in names:
        return []
    return [
        Failure(
            reason=f"`reference` names the port {said.reference!r}, which there is none of",
            file=NAME,
            line=manifest_file.line(folder / NAME, "reference"),
            fix=manifest_file.nearest(said.reference, names) if names else "add the port",
        )
    ]
