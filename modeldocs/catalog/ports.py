"""Ports in a model's folder: found by the names and content of its files, and by its manifest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from modeldocs import environments, loaders
from modeldocs.catalog import manifest_file
from modeldocs.catalog.manifest import NAME, InputEntry, Manifest, PortEntry
from modeldocs.catalog.manifest_file import Mistake
from modeldocs.environments import Environment
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, python_file
from modeldocs.struct import Struct

_PLAIN_STEMS = ("model", "deploy", "net", "network")
_SYMBOL = "symbol"
"""What MXNet ends the name of a definition with: `resnet-50-symbol.json`."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class Port(Struct, frozen=True):
    """One framework's definition of a model, found; `failure` says why it cannot be loaded.

    `doubts` are mistakes of the manifest, which may have told more of it.
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


def find(folder: Path, said: Manifest, mistakes: Sequence[Mistake] = ()) -> list[Port]:
    """The ports in a folder in order of name, those with a mistake among them.

    What the manifest places at a file or module goes first; then every file that is recognised.
    Fields that are mistakes are gone from the manifest, and told as doubts of the ports.
    """
    found: dict[str, Port] = {}
    for name, entry in said.ports.items():
        if entry.file is not None or entry.module is not None:
            _add(found, _declared(folder, name, entry, said))
    declared = {port.source.resolve() for port in found.values() if port.source}
    for path, framework in _sources(folder, said):
        if path.resolve() not in declared:
            name = _name(path, framework, folder)
            _add(found, _port(folder, name, framework, path, said))
    for name, entry in said.ports.items():
        if entry.file is None and entry.module is None and name not in found:
            _add(found, _nowhere(folder, name, said))
    for mistake in mistakes:
        name = address(mistake.port or "", "")
        placed = found[name].request if name in found else None
        if name and (placed is None or not (placed.path or placed.module)):
            found[name] = _failed(_port(folder, name, "", None, said), Failure.of(mistake.error))
    return [_doubted(found[name], mistakes) for name in sorted(found)]


def address(text: str, otherwise: str) -> str:
    """`text` with only what an address can hold, starting with a letter or digit."""
    return _UNSAFE.sub("-", text).lstrip("-._") or otherwise


def free(name: str, taken: object) -> str:
    """`name`, or with the first number that makes it differ from those taken."""
    assert isinstance(taken, dict | set)
    number, found = 2, name
    while found in taken:
        number, found = number + 1, f"{name}-{number}"
    return found


def _add(found: dict[str, Port], port: Port) -> None:
    """Keep a port; the second of one name goes under its file's, with a failure that says so."""
    if port.name in found:
        first = found[port.name]
        source = port.source.name if port.source else port.name
        failure = Failure(
            reason=f"its name {port.name!r} is already that of "
            f"{first.source.name if first.source else first.request.module}",
            file=source,
            fix=f"rename the file, or give it a name of its own under `ports:` in {NAME}",
        )
        port = _failed(port, failure, free(address(source, port.framework), found))
    found[port.name] = port


def _sources(folder: Path, said: Manifest) -> list[tuple[Path, str]]:
    """The files that define the model, each with its framework."""
    files = sorted(p for p in folder.iterdir() if p.name[0] not in "._")
    scripts = [path for path in files if path.suffix == ".py"]
    imports = [python_file.imports(path) for path in scripts]
    helpers = {name for one in imports for name in one.absolute | one.relative}
    return [
        (path, framework)
        for path in files
        if (framework := _recognised(path))
        and (path.suffix != ".py" or _is_port(path, framework, helpers, said))
    ]


def _is_port(path: Path, framework: str, helpers: set[str], said: Manifest) -> bool:
    """Tell a port from a helper beside it: by its name, or by saying what goes in."""
    if path.stem in (framework, path.parent.name, *_PLAIN_STEMS) or path.stem in said.ports:
        return True
    try:
        tree = python_file.parse(path)
    except ModeldocsError:
        return path.stem not in helpers
    if "INPUTS" in python_file.assigned_names(tree):
        return True
    return path.stem not in helpers and bool(said.inputs)


def _recognised(path: Path) -> str:
    try:
        return loaders.recognise(path) or ""
    except OSError:
        return ""


def _name(path: Path, framework: str, folder: Path) -> str:
    stem = path.stem.removesuffix(f"-{_SYMBOL}") if path.suffix == ".json" else path.stem
    plain = stem in (*_PLAIN_STEMS, folder.name)
    return framework if plain else address(stem, framework)


def _declared(folder: Path, name: str, entry: PortEntry, said: Manifest) -> Port:
    """A port that the manifest places at a file or module."""
    path = folder / entry.file if entry.file is not None else None
    framework = ""
    if path is not None and path.exists() and _inside(path, folder):
        framework = _recognised(path)
    elif entry.module is not None:
        framework = loaders.recognise_module(entry.module) or ""
    port = _port(folder, name, framework, path, said)
    mistake = _misplaced(folder, name, entry)
    return port if mistake is None else _failed(port, mistake)


def _misplaced(folder: Path, name: str, entry: PortEntry) -> Failure | None:
    if entry.file is not None and entry.module is not None:
        reason, fix = f"the port {name!r} names both a file and a module", "keep one of the two"
    elif entry.file is None or (folder / entry.file).exists():
        return None
    else:
        reason = f"`file: {entry.file}` of the port {name!r} does not exist"
        fix = "correct the name, or add the file"
    line = manifest_file.line(folder / NAME, "ports", name, "file")
    return Failure(reason=reason, file=NAME, line=line, fix=fix)


def _nowhere(folder: Path, name: str, said: Manifest) -> Port:
    """A port that the manifest speaks of and that no file is."""
    failure = Failure(
        reason=f"the port {name!r} names neither a file nor a module",
        file=NAME,
        line=manifest_file.line(folder / NAME, "ports", name),
        fix="add `file: …` or `module: package.module`, or remove the port",
    )
    return _failed(_port(folder, name, "", None, said), failure)


def _port(folder: Path, name: str, framework: str, path: Path | None, said: Manifest) -> Port:
    entry = said.ports.get(name, PortEntry())
    inputs = entry.inputs or said.inputs
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
    for mistake in (_unaddressable(port), _outside(port, folder), _frameless(port, folder)):
        if mistake is not None:
            return _failed(port, mistake, address(name, "port"))
    return port


def _declared_environment(entry: PortEntry) -> Environment | None:
    asked = entry.environment
    if asked is None:
        return None
    return environments.declared(asked.python, tuple(asked.requirements))


def _unaddressable(port: Port) -> Failure | None:
    if address(port.name, "") == port.name:
        return None
    return Failure(
        reason=f"the port's name {port.name!r} cannot be part of an address",
        file=NAME,
        line=manifest_file.line(Path(port.request.root, NAME), "ports", port.name),
        fix="write it with letters, digits, . _ -",
    )


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
    real = path.resolve()
    return any(
        real.is_relative_to(around) for around in (folder.resolve(), folder.parent.resolve())
    )


def _frameless(port: Port, folder: Path) -> Failure | None:
    known = loaders.frameworks()
    if port.framework in known:
        return None
    line = manifest_file.line(folder / NAME, "ports", port.name, "framework")
    if port.framework:
        reason = f"no loader for the framework {port.framework!r} of the port {port.name!r}"
        return Failure(
            reason=reason, file=NAME, line=line, fix=manifest_file.nearest(port.framework, known)
        )
    return Failure(
        reason=f"the port {port.name!r} has no known framework",
        file=NAME,
        line=line,
        fix=f"add `framework:`, one of: {', '.join(known)}",
    )


def _doubted(port: Port, mistakes: Sequence[Mistake]) -> Port:
    """The port with the mistakes that may be about it: in its own entry, or in no port's."""
    doubts = [Failure.of(m.error) for m in mistakes if m.port in (None, port.name)]
    doubts = [doubt for doubt in doubts if doubt != port.failure]
    return msgspec.structs.replace(port, doubts=tuple(doubts))


def _failed(port: Port, failure: Failure, name: str | None = None) -> Port:
    return msgspec.structs.replace(port, name=name or port.name, failure=failure)


def _shape(value: list[int] | InputEntry) -> tuple[int, ...]:
    return tuple(value.shape if isinstance(value, InputEntry) else value)
