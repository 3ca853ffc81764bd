"""Finding the ports of a model's folder, by its files and its manifest."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from modeldocs import environments, loaders
from modeldocs.catalog import links, manifest_file, sources
from modeldocs.catalog.manifest import NAME, InputEntry, Manifest, PortEntry
from modeldocs.catalog.manifest_file import Mistake
from modeldocs.environments import Environment
from modeldocs.errors import Failure
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, not_models
from modeldocs.struct import Struct

_SYMBOL = "symbol"
"""Suffix of the names of MXNet's definitions: `resnet-50-symbol.json`."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class Port(Struct, frozen=True):
    """One framework's definition of a model; `failure` is the reason why it cannot be loaded.

    `doubts` are mistakes in the manifest that may concern it.
    """

    name: str
    framework: str
    request: LoadRequest
    limits: Limits = Limits()
    notes: str = ""
    failure: Failure | None = None
    doubts: tuple[Failure, ...] = ()

    @property
    def source(self) -> Path | None:
        """The file it is defined in, None where it comes from an installed package."""
        return Path(self.request.path) if self.request.path else None


def find(folder: Path, manifest: Manifest, mistakes: Sequence[Mistake] = ()) -> list[Port]:
    """The ports in a folder, sorted by name; those with a mistake have a `failure`.

    Ports whose file or module the manifest names come first, then every recognised file. The
    manifest is without its mistakes, which become doubts of the ports.
    """
    ports: dict[str, Port] = {}
    for name, entry in manifest.ports.items():
        if entry.file is not None or entry.module is not None:
            _add(ports, _declared_port(folder, name, entry, manifest))
    declared = {os.path.realpath(port.source) for port in ports.values() if port.source}
    for path, framework in sources.definitions(folder, manifest):
        if not declared or os.path.realpath(path) not in declared:
            name = _name(path, framework, folder)
            _add(ports, _port(folder, name, framework, path, manifest))
    for name, entry in manifest.ports.items():
        if entry.file is None and entry.module is None and name not in ports:
            _add(ports, _sourceless_port(folder, name, manifest))
    for mistake in mistakes:
        name = address(mistake.port or "", "")
        request = ports[name].request if name in ports else None
        if name and (request is None or not (request.path or request.module)):
            port = _port(folder, name, "", None, manifest)
            ports[name] = _failed(port, Failure.of(mistake.error))
    return [_with_doubts(ports[name], mistakes) for name in sorted(ports)]


def address(text: str, default: str) -> str:
    """`text` as part of an address, starting with a letter or digit; `default` if none is left."""
    return _UNSAFE.sub("-", text).lstrip("-._") or default


def free(name: str, taken: Collection[str]) -> str:
    """`name`, followed by the first number from 2 on that makes it differ from those taken."""
    number, candidate = 2, name
    while candidate in taken:
        number, candidate = number + 1, f"{name}-{number}"
    return candidate


def _add(ports: dict[str, Port], port: Port) -> None:
    """Add a port; a second one of the same name is named after its file, and has a failure."""
    if port.name in ports:
        first = ports[port.name]
        source = port.source.name if port.source else port.name
        failure = Failure(
            reason=f"its name {port.name!r} is already that of "
            f"{first.source.name if first.source else first.request.module}",
            file=source,
            fix=f"rename the file, or give it a name of its own under `ports:` in {NAME}",
        )
        port = _failed(port, failure, free(address(source, port.framework), ports))
    ports[port.name] = port


def _name(path: Path, framework: str, folder: Path) -> str:
    stem = path.stem.removesuffix(f"-{_SYMBOL}") if path.suffix == ".json" else path.stem
    if stem in (*sources.PLAIN_STEMS, folder.name):
        return framework
    return address(stem, framework)


def _declared_port(folder: Path, name: str, entry: PortEntry, manifest: Manifest) -> Port:
    """A port whose file or module the manifest names."""
    path = folder / entry.file if entry.file is not None else None
    framework = ""
    if path is not None and path.exists() and _inside(path, folder):
        framework = sources.recognised(path)
    elif entry.module is not None:
        framework = loaders.recognise_module(entry.module) or ""
    port = _port(folder, name, framework, path, manifest)
    failure = _source_failure(folder, name, entry)
    return port if failure is None else _failed(port, failure)


def _source_failure(folder: Path, name: str, entry: PortEntry) -> Failure | None:
    """What is wrong with the file or module of an entry, None if nothing is."""
    if entry.file is not None and entry.module is not None:
        reason, fix = f"the port {name!r} names both a file and a module", "keep one of the two"
    elif entry.file is None or (folder / entry.file).exists():
        return None
    elif links.is_circle(folder / entry.file):
        return links.circle(entry.file)
    else:
        reason = f"`file: {entry.file}` of the port {name!r} does not exist"
        fix = "correct the name, or add the file"
    line = manifest_file.line(folder / NAME, "ports", name, "file")
    return Failure(reason=reason, file=NAME, line=line, fix=fix)


def _sourceless_port(folder: Path, name: str, manifest: Manifest) -> Port:
    """A port of the manifest that has no file or module."""
    failure = Failure(
        reason=f"the port {name!r} names neither a file nor a module",
        file=NAME,
        line=manifest_file.line(folder / NAME, "ports", name),
        fix="add `file: …` or `module: package.module`, or remove the port",
    )
    return _failed(_port(folder, name, "", None, manifest), failure)


def _port(folder: Path, name: str, framework: str, path: Path | None, manifest: Manifest) -> Port:
    entry = manifest.ports.get(name, PortEntry())
    inputs = entry.inputs or manifest.inputs
    port = Port(
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
            declared=_declared_environment(entry),
        ),
        limits=Limits(seconds=entry.limits.seconds, memory_mb=entry.limits.memory_mb),
        notes=entry.notes,
    )
    checks = (_bad_name(port), _circle(port), _outside(port, folder), _bad_framework(port, folder))
    for failure in checks:
        if failure is not None:
            return _failed(port, failure, address(name, "port"))
    return port


def _declared_environment(entry: PortEntry) -> Environment | None:
    if entry.environment is None:
        return None
    requirements = tuple(entry.environment.requirements)
    return environments.declared(entry.environment.python, requirements)


def _bad_name(port: Port) -> Failure | None:
    if address(port.name, "") == port.name:
        return None
    return Failure(
        reason=f"the port's name {port.name!r} cannot be part of an address",
        file=NAME,
        line=manifest_file.line(Path(port.request.root, NAME), "ports", port.name),
        fix="write it with letters, digits, . _ -",
    )


def _circle(port: Port) -> Failure | None:
    """A definition that is a link in a circle; every other check would try to read it."""
    if port.source is None or not links.is_circle(port.source):
        return None
    return links.circle(port.source.name)


def _outside(port: Port, folder: Path) -> Failure | None:
    if port.source is None or _inside(port.source, folder):
        return None
    return Failure(
        reason=f"`{port.source.name}` lies outside the catalog",
        file=NAME,
        line=manifest_file.line(folder / NAME, "ports", port.name, "file"),
        fix="put the file into the model's folder",
    )


def _inside(path: Path, folder: Path) -> bool:
    if path.parent == folder and not path.is_symlink():
        return True
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(one)) for one in (folder, folder.parent))


def _bad_framework(port: Port, folder: Path) -> Failure | None:
    frameworks = loaders.frameworks()
    if port.framework in frameworks:
        return None
    line = manifest_file.line(folder / NAME, "ports", port.name, "framework")
    if port.framework:
        reason = f"no loader for the framework {port.framework!r} of the port {port.name!r}"
        return Failure(
            reason=reason,
            file=NAME,
            line=line,
            fix=manifest_file.nearest(port.framework, frameworks),
        )
    error = not_models.describe(port.source) if port.source is not None else None
    if error is not None:
        return Failure.of(error)
    return Failure(
        reason=f"the port {port.name!r} has no known framework",
        file=NAME,
        line=line,
        fix=f"add `framework:`, one of: {', '.join(frameworks)}",
    )


def _with_doubts(port: Port, mistakes: Sequence[Mistake]) -> Port:
    """The port with the mistakes in its own entry, or outside of all entries, as its doubts."""
    doubts = [Failure.of(m.error) for m in mistakes if m.port in (None, port.name)]
    doubts = [doubt for doubt in doubts if doubt != port.failure]
    return msgspec.structs.replace(port, doubts=tuple(doubts))


def _failed(port: Port, failure: Failure, name: str | None = None) -> Port:
    return msgspec.structs.replace(port, name=name or port.name, failure=failure)


def _shape(value: list[int] | InputEntry) -> tuple[int, ...]:
    return tuple(value.shape if isinstance(value, InputEntry) else value)
