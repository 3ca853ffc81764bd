"""The catalog: a folder with one folder per model, read by conventions and `model.yml`."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import msgspec
from msgspec.structs import replace

from modeldocs.catalog import links, manifest_file, ports, sources
from modeldocs.catalog.cache import CatalogCache
from modeldocs.catalog.manifest import NAME, RECORDS, Manifest, ProgramTargets
from modeldocs.catalog.manifest_file import Mistake
from modeldocs.catalog.ports import Port, address, free
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.formatting import is_text, printable
from modeldocs.struct import Struct

__all__ = [
    "RECORDS",
    "Catalog",
    "CatalogCache",
    "Model",
    "Port",
    "existing",
    "read",
    "read_model",
    "shared",
]


class Model(Struct, frozen=True):
    """One network: its manifest, its ports sorted by name, and the mistakes in its folder."""

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

    def reference_first(self) -> list[Port]:
        """The ports, the declared reference before the others."""
        return sorted(self.ports, key=lambda port: port.name != self.manifest.reference)


class Catalog(Struct, frozen=True):
    """The models of a folder, sorted by name."""

    root: str
    models: tuple[Model, ...] = ()

    def with_targets(self, targets: ProgramTargets) -> Catalog:
        """The catalog with these targets of programs for models whose manifests name none."""
        if targets is True:  # as it is without a setting
            return self
        models = tuple(
            model
            if model.manifest.generate is not None
            else replace(model, manifest=replace(model.manifest, generate=targets))
            for model in self.models
        )
        return Catalog(root=self.root, models=models)

    def port(self, name: str) -> tuple[Model, Port]:
        """The model and port that `model/port` names.

        Raises:
            ModeldocsError: there is none; its fix names the nearest name.
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


def existing(root: Path) -> Path:
    """The absolute path of a catalog's folder.

    Raises:
        ModeldocsError: there is no such folder.
    """
    root = Path(os.path.realpath(root))
    if not root.is_dir():
        raise ModeldocsError(
            "the catalog's folder does not exist",
            file=root.name,
            fix="pass --models DIR, or make one with `modeldocs new DIR`",
        )
    return root


def read(root: Path, memory: CatalogCache | None = None) -> Catalog:
    """The catalog in a folder. Mistakes inside it are data of its models, not raised.

    With a `memory`, models whose folders have not changed since are not read again.

    Raises:
        ModeldocsError: there is no such folder.
    """
    root = existing(root)
    memory, common = memory or CatalogCache(), shared(root)
    models: dict[str, Model] = {}
    named = (p for p in root.iterdir() if p.name[0] not in "._")
    folders = [p for p in named if p.is_dir() or links.is_circle(p)]
    for folder in sorted(folders, key=lambda p: (address(p.name, "") != p.name, p.name)):
        if not is_text(folder.name):
            model: Model | None = _misnamed(folder)
        elif links.is_circle(folder):
            model = _unread(folder, links.circle(folder.name))
        else:
            model = memory.model(folder, common, read_model)
        if model is not None:
            name = free(model.id, models)
            models[name] = model if name == model.id else msgspec.structs.replace(model, id=name)
    return Catalog(root=str(root), models=tuple(models[name] for name in sorted(models)))


def shared(root: Path) -> tuple[str, ...]:
    """The folders of a catalog that its ports share: those whose names begin with `_`.

    Links are none: they might make any folder readable by the code of ports.
    """
    folders = (p for p in root.resolve().glob("_*") if p.is_dir() and not p.is_symlink())
    names = (p for p in folders if not p.name.startswith("__") and is_text(p.name))
    return tuple(sorted(map(str, names)))


def read_model(folder: Path, shared: tuple[str, ...] = ()) -> Model | None:
    """The model in a folder; None where it holds neither port, network, manifest nor record.

    Its Python ports may import from the folders `shared`.

    Without a readable manifest, ports are found by convention alone. Fields of a manifest that are
    mistakes are ignored.
    """
    manifest = Manifest()
    mistakes: list[Mistake] = []
    failures: list[Failure] = []
    has_manifest = (folder / NAME).exists()
    if has_manifest:
        try:
            manifest, mistakes = manifest_file.read(folder / NAME)
        except ModeldocsError as error:
            failures.append(Failure.of(error))
    failures += [Failure.of(mistake.error) for mistake in mistakes]
    model_ports = [_with_shared(one, shared) for one in ports.find(folder, manifest, mistakes)]
    circles = _circles(folder, model_ports)
    unread = sources.unread(folder, manifest, [port.source for port in model_ports])
    if not (model_ports or unread or has_manifest or circles or (folder / RECORDS).is_dir()):
        return None
    failures += [
        *circles,
        *unread,
        *_unaddressable(folder),
        *_misnamed_files(folder),
        *_bad_reference(folder, manifest, model_ports),
        *_bad_pairs(folder, manifest, model_ports),
    ]
    return Model(
        id=address(folder.name, "model"),
        folder=str(folder),
        manifest=manifest,
        ports=tuple(model_ports),
        failures=tuple(failures),
    )


def _with_shared(port: Port, shared: tuple[str, ...]) -> Port:
    """A port that may import from those folders, if it is one that imports."""
    if port.source is not None and port.source.suffix != ".py":
        return port
    request = msgspec.structs.replace(port.request, shared=shared)
    return msgspec.structs.replace(port, request=request)


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


def _misnamed(folder: Path) -> Model:
    """A model that nothing is read of, since its folder's name cannot be stored."""
    return _unread(folder.parent / printable(folder.name), _not_utf8(folder))


def _unread(folder: Path, failure: Failure) -> Model:
    return Model(id=address(folder.name, "model"), folder=str(folder), failures=(failure,))


def _circles(folder: Path, ports: list[Port]) -> list[Failure]:
    """The links in a circle in a model's folder, but those that are ports, which say it."""
    told = {port.source for port in ports}
    found = sorted(path for path in folder.iterdir() if links.is_circle(path))
    return [links.circle(path.name) for path in found if path not in told and is_text(path.name)]


def _misnamed_files(folder: Path) -> list[Failure]:
    return [_not_utf8(path) for path in sorted(folder.iterdir()) if not is_text(path.name)]


def _not_utf8(path: Path) -> Failure:
    return Failure(
        reason="the name is not UTF-8",
        file=printable(path.name),
        fix="rename it with letters, digits, . _ -",
    )


def _bad_reference(folder: Path, manifest: Manifest, ports: list[Port]) -> list[Failure]:
    names = [port.name for port in ports]
    if manifest.reference is None or manifest.reference in names:
        return []
    return [
        Failure(
            reason=f"`reference` names the port {manifest.reference!r}, which does not exist",
            file=NAME,
            line=manifest_file.line(folder / NAME, "reference"),
            fix=manifest_file.nearest(manifest.reference, names) if names else "add the port",
        )
    ]


def _bad_pairs(folder: Path, manifest: Manifest, ports: list[Port]) -> list[Failure]:
    """The pairs in `pairs` that name no port, or one port twice."""
    if not isinstance(manifest.pairs, list):
        return []
    names = [port.name for port in ports]
    failures = []
    for number, (a, b) in enumerate(manifest.pairs):
        unknown = next((name for name in (a, b) if name not in names), None)
        if unknown is not None:
            reason = f"`pairs[{number}]` names the port {unknown!r}, which does not exist"
            fix = manifest_file.nearest(unknown, names) if names else "add the port"
        elif a == b:
            reason, fix = f"`pairs[{number}]` names the port {a!r} twice", "name two ports"
        else:
            continue
        line = manifest_file.line(folder / NAME, "pairs", number)
        failures.append(Failure(reason=reason, file=NAME, line=line, fix=fix))
    return failures
