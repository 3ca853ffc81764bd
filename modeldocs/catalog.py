"""The catalog: the folder of models, one folder a model, found by convention and `model.yml`."""

from __future__ import annotations

import ast
import difflib
import re
from pathlib import Path

from modeldocs import loaders
from modeldocs.errors import ModeldocsError
from modeldocs.graph import Struct
from modeldocs.isolation import Failure, Limits
from modeldocs.loaders import LoadRequest
from modeldocs.manifest import NAME, InputEntry, Manifest, PortEntry
from modeldocs.manifest import read as read_manifest

_FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PORT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PLAIN_STEMS = ("model", "deploy", "net", "network")
RECORDS = "benchmarks"


class Port(Struct, frozen=True):
    """One framework's definition of a model, found; `failure` says why it cannot be loaded."""

    name: str
    framework: str
    request: LoadRequest
    limits: Limits = Limits()
    notes: str = ""
    failure: Failure | None = None

    @property
    def source(self) -> Path | None:
        """The file it is defined in, None where it comes from an installed package."""
        return Path(self.request.path) if self.request.path else None


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

    @property
    def records_folder(self) -> Path:
        """Where its benchmark records lie, one JSON file a run."""
        return Path(self.folder) / RECORDS

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
        names = {f"{m.id}/{p.name}": (m, p) for m in self.models for p in m.ports}
        if name in names:
            return names[name]
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
        raise ModeldocsError(
            f"no port {name!r} in the catalog",
            mend=f"did you mean {close[0]}?" if close else f"use one of: {', '.join(names)}",
        )


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
            mend="pass --models DIR, or make one with `modeldocs new DIR`",
        )
    folders = sorted(p for p in root.iterdir() if p.is_dir() and p.name[0] not in "._")
    models = [model for folder in folders if (model := read_model(folder)) is not None]
    return Catalog(root=str(root), models=tuple(models))


def read_model(folder: Path) -> Model | None:
    """The model in a folder; None where it holds neither port, manifest nor record."""
    manifest, failures = Manifest(), []
    if (folder / NAME).exists():
        try:
            manifest = read_manifest(folder / NAME)
        except ModeldocsError as error:
            failures.append(Failure.of(error))
    ports = _ports(folder, manifest)
    if (
        not ports
        and not failures
        and not (folder / NAME).exists()
        and not (folder / RECORDS).is_dir()
    ):
        return None
    if not _FOLDER_NAME.fullmatch(folder.name):
        reason = "the folder's name cannot be part of an address"
        failures.append(
            Failure(reason=reason, file=folder.name, mend="rename it with letters, digits, . _ -")
        )
    failures.extend(_reference_failure(manifest, ports))
    return Model(
        id=re.sub(r"[^A-Za-z0-9._-]+", "-", folder.name).lstrip("-._") or "model",
        folder=str(folder),
        manifest=manifest,
        ports=tuple(ports),
        failures=tuple(failures),
    )


def _reference_failure(manifest: Manifest, ports: list[Port]) -> list[Failure]:
    names = [port.name for port in ports]
    if manifest.reference is None or manifest.reference in names:
        return []
    return [
        Failure(
            reason=f"`reference` names the port {manifest.reference!r}, which there is none of",
            file=NAME,
            mend=f"use one of: {', '.join(names) or 'none found'}",
        )
    ]


def _ports(folder: Path, manifest: Manifest) -> list[Port]:
    found: dict[str, Port] = {}
    declared = {entry.file for entry in manifest.ports.values() if entry.file}
    for path, framework in _sources(folder, manifest):
        if path.name in declared:
            continue
        port = _port(folder, _port_name(path, framework, folder), framework, path, manifest)
        if port.name in found:
            port = _twice(port, found[port.name])
        found[port.name] = port
    for name, entry in manifest.ports.items():
        if name not in found:
            found[name] = _declared(folder, name, entry, manifest)
    return [found[name] for name in sorted(found)]


def _sources(folder: Path, manifest: Manifest) -> list[tuple[Path, str]]:
    files = sorted(p for p in folder.iterdir() if p.is_file() and p.name[0] not in "._")
    recognised = [(path, framework) for path in files if (framework := loaders.recognise(path))]
    imported = {name for path, _ in recognised if path.suffix == ".py" for name in _imported(path)}
    return [
        (path, framework)
        for path, framework in recognised
        if path.suffix != ".py" or _is_port(path, framework, imported, manifest)
    ]


def _imported(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    return set(re.findall(r"^\s*(?:from|import)\s+\.?(\w+)", text, re.M))


def _is_port(path: Path, framework: str, imported: set[str], manifest: Manifest) -> bool:
    """Tell a port from a helper beside it: by its name, or by saying what goes in."""
    if path.stem in (framework, *_PLAIN_STEMS) or path.stem in manifest.ports:
        return True
    if path.stem in imported:
        return False
    try:
        body = ast.parse(path.read_bytes()).body
    except (SyntaxError, ValueError):
        return True
    names = {
        t.id
        for n in body
        if isinstance(n, ast.Assign)
        for t in n.targets
        if isinstance(t, ast.Name)
    }
    return "INPUTS" in names or bool(manifest.inputs)


def _port_name(path: Path, framework: str, folder: Path) -> str:
    plain = path.stem in (*_PLAIN_STEMS, folder.name)
    return (
        framework
        if plain
        else re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).lstrip("-._") or framework
    )


def _twice(port: Port, first: Port) -> Port:
    taken = first.source.name if first.source else first.name
    source = port.source.name if port.source else port.name
    reason = f"its name {port.name!r} is already that of {taken}"
    return Port(
        name=re.sub(r"[^A-Za-z0-9._-]+", "-", source),
        framework=port.framework,
        request=port.request,
        failure=Failure(
            reason=reason,
            file=source,
            mend=f"rename the file, or give it a name of its own under `ports:` in {NAME}",
        ),
    )


def _declared(folder: Path, name: str, entry: PortEntry, manifest: Manifest) -> Port:
    framework = entry.framework or ""
    failure = None
    path = folder / entry.file if entry.file else None
    if path is not None and not path.resolve().is_relative_to(folder.parent.resolve()):
        failure = Failure(reason=f"`file: {entry.file}` lies outside the catalog", file=NAME)
    elif path is not None and not path.exists():
        failure = Failure(
            reason=f"`file: {entry.file}` of the port {name!r} does not exist",
            file=NAME,
            mend="correct the name, or add the file",
        )
    elif path is None and entry.module is None:
        failure = Failure(
            reason=f"the port {name!r} names neither a file nor a module",
            file=NAME,
            mend="add `file: …` or `module: package.module`, or remove the port",
        )
    elif path is not None and not framework:
        framework = loaders.recognise(path) or ""
    if failure is None and framework not in loaders.frameworks():
        known = ", ".join(loaders.frameworks())
        failure = Failure(
            reason=f"the port {name!r} has no known framework",
            file=NAME,
            mend=f"add `framework:`, one of: {known}",
        )
    if not _PORT_NAME.fullmatch(name):
        failure = Failure(reason=f"port name {name!r} cannot be part of an address", file=NAME)
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._") or "port"
    port = _port(folder, name, framework, path, manifest, entry)
    return port if failure is None else _failed(port, failure)


def _failed(port: Port, failure: Failure) -> Port:
    return Port(name=port.name, framework=port.framework, request=port.request, failure=failure)


def _port(
    folder: Path,
    name: str,
    framework: str,
    path: Path | None,
    manifest: Manifest,
    entry: PortEntry | None = None,
) -> Port:
    entry = entry or manifest.ports.get(name, PortEntry())
    inputs = entry.inputs or manifest.inputs
    return Port(
        name=name,
        framework=entry.framework or framework,
        request=LoadRequest(
            root=str(folder),
            path=str(path) if path else None,
            module=entry.module,
            entry=entry.entry,
            args=entry.args,
            name=folder.name,
            inputs={key: _shape(value) for key, value in inputs.items()},
            dtypes={k: v.dtype for k, v in inputs.items() if isinstance(v, InputEntry)},
        ),
        limits=Limits(seconds=entry.limits.seconds, memory_mb=entry.limits.memory_mb),
        notes=entry.notes,
    )


def _shape(value: list[int] | InputEntry) -> tuple[int, ...]:
    return tuple(value.shape if isinstance(value, InputEntry) else value)
