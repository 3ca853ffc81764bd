"""The task of loading a port, which stores its graph, its ONNX and the sources that it read."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from importlib import util
from itertools import chain, islice
from pathlib import Path

import msgspec

from modeldocs import loaders, machine
from modeldocs.catalog import RECORDS, Catalog, Model, Port
from modeldocs.errors import Failure
from modeldocs.ir import encode
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, loading
from modeldocs.loaders.loading import LoadedPort
from modeldocs.struct import Struct
from modeldocs.tasks import closure, store
from modeldocs.tasks.kind import Software, TaskFolders, TaskKind
from modeldocs.tasks.names import port_name
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.store import Accepted, Store

MAX_SOURCE_BYTES = 512 * 1024
"""Longer source files are not shown on pages."""

_MAX_BESIDE = 10_000
"""Files beside a port that failed: among more of them, its failure is not stored."""


class LoadInputs(Struct, frozen=True):
    """A port to be loaded; paths are relative to the catalog's folder.

    `weights` are the names of weight files beside its source, which its loader may read.
    """

    framework: str
    request: LoadRequest
    source: str | None
    weights: tuple[str, ...]
    limits: Limits


class Load(Struct, frozen=True):
    """The result of loading a port; `failure` is the reason where it could not be loaded.

    `graph`, `onnx` and `normal` are digests in the store: of the graph's JSON, and of the ONNX as
    loaded and in normal form; `texts` are those of the source files that were stored for its page.
    `software` holds the versions that the result depends on, `read` the digests of the files that
    it depends on, by path relative to the catalog's folder, `sought` what it saw of folders and of
    files that are not there. `version` is that of the framework that it was loaded with, if it is
    known. `printed` is the port's output on stdout and stderr, with paths relative to the catalog's
    folder.
    """

    framework: str
    graph: str | None = None
    onnx: str | None = None
    normal: str | None = None
    texts: tuple[str, ...] = ()
    failure: Failure | None = None
    software: dict[str, str] = {}
    version: str | None = None
    read: dict[str, str] = {}
    sought: dict[str, str] = {}
    printed: str = ""
    seconds: float = 0.0


def task(catalog: Catalog, model: Model, port: Port) -> PooledTask:
    """The task of loading a port of a catalog."""
    return task_of(port_name(model, port), port, catalog.root)


def task_of(name: str, port: Port, root: str) -> PooledTask:
    """The task of that name, of loading a port; its paths become relative to the folder `root`."""
    inputs = LoadInputs(
        framework=port.framework,
        request=relative(port.request, root),
        source=os.path.relpath(port.source, root) if port.source is not None else None,
        weights=_weights_beside(port),
        limits=port.limits,
    )
    return PooledTask(kind=LOAD.name, name=name, inputs=inputs)


def relative(request: LoadRequest, root: str) -> LoadRequest:
    """A request with paths relative to the catalog's folder, so that keys are equal anywhere."""
    path = os.path.relpath(request.path, root) if request.path else None
    shared = tuple(os.path.relpath(folder, root) for folder in request.shared)
    folder = os.path.relpath(request.root, root)
    return msgspec.structs.replace(request, root=folder, path=path, shared=shared)


def absolute(request: LoadRequest, root: str) -> LoadRequest:
    """A relative request with absolute paths on this machine."""
    path = os.path.normpath(Path(root, request.path)) if request.path else None
    folder = os.path.normpath(Path(root, request.root))
    shared = tuple(os.path.normpath(Path(root, one)) for one in request.shared)
    return msgspec.structs.replace(request, root=folder, path=path, shared=shared)


def decisive(request: LoadRequest) -> LoadRequest:
    """What decides a load: not which folders it may import from, but the files that it read."""
    return msgspec.structs.replace(request, shared=())


def _weights_beside(port: Port) -> tuple[str, ...]:
    suffixes = getattr(loaders.loader(port.framework), "weights", ())
    if port.source is None or not suffixes:
        return ()
    beside = port.source.parent.glob("*")
    return tuple(sorted(path.name for path in beside if path.suffix in suffixes))


def _run(inputs: LoadInputs, place: TaskFolders) -> Load:
    request = absolute(inputs.request, place.root)
    loaded = loading.load(inputs.framework, request, inputs.limits)
    return _stored(loaded, inputs, place)


def live(port: Port, root: str, place: TaskFolders) -> Load:
    """A live object, loaded in this process. Its parts are in the store, but no answer for it."""
    inputs = task_of(port.name, port, root).inputs
    return _stored(loading.load(port.framework, port.request, port.limits), inputs, place)


def _stored(loaded: LoadedPort, inputs: LoadInputs, place: TaskFolders) -> Load:
    """Write the parts of a load to the store, and return their digests and its dependencies."""
    objects = place.objects
    read = dict(loaded.read)
    if inputs.source is not None:
        source = os.path.normpath(Path(place.root, inputs.source))
        if digest := store.digest_file(Path(source)):
            read.setdefault(os.path.realpath(source), digest)
    texts = {text for path in read if (text := _keep_text(objects, Path(path))) is not None}
    root = os.path.realpath(place.root)
    software = _versions(inputs, place)
    if loaded.failure is not None:
        software |= _surroundings(inputs, place)
    return Load(
        framework=loaded.framework,
        graph=objects.write_object(encode(loaded.graph)) if loaded.graph is not None else None,
        onnx=objects.write_object(loaded.onnx) if loaded.graph is not None else None,
        normal=objects.write_object(loaded.normal) if loaded.graph is not None else None,
        texts=tuple(sorted(texts)),
        failure=_movable(loaded.failure, root),
        software=software,
        version=loading.version(inputs.framework, absolute(inputs.request, place.root)),
        read={os.path.relpath(path, root): digest for path, digest in sorted(read.items())},
        sought={_relative(path, root): what for path, what in sorted(loaded.sought.items())},
        printed=loaded.printed.replace(root + os.sep, ""),
        seconds=loaded.seconds,
    )


def _movable(failure: Failure | None, root: str) -> Failure | None:
    """A failure with paths relative to the catalog's folder, equal wherever that lies."""
    if failure is None:
        return None
    return msgspec.structs.replace(failure, reason=failure.reason.replace(root + os.sep, ""))


def _relative(path: str, root: str) -> str:
    """A path of `LoadedPort.sought` relative to the catalog's folder."""
    return path.removeprefix(root + os.sep) if path.startswith(root + os.sep) else path


def _keep_text(objects: Store, path: Path) -> str | None:
    """Store a source file for the port's page; None where it is binary or too long."""
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_SOURCE_BYTES else b"\0"
    except OSError as error:
        if machine.cause_in_ours(error) is not None:  # the page would lack it for ever
            raise
        return None
    return objects.write_object(data) if b"\0" not in data else None


def _versions(inputs: LoadInputs, place: TaskFolders) -> dict[str, str]:
    """Versions that a load depends on, of its environment or of its closure in this interpreter.

    Those of packages that are not installed are missing.
    """
    request = absolute(inputs.request, place.root)
    versions = loading.software(inputs.framework, request)
    if loading.environment(inputs.framework, request) is not None:
        return versions or {}
    code = closure.closure(loading.__name__, *_modules(inputs))
    own = (request.module.partition(".")[0],) if request.module else ()
    return closure.versions((*code.packages, *own)) | (versions or {})


def _surroundings(inputs: LoadInputs, place: TaskFolders) -> dict[str, str]:
    """Further dependencies of a failure: installed packages, limits, and files beside the port.

    Each of them may be what a port that failed was missing.
    """
    return {
        "environment": store.environment(),
        "limits": store.key(inputs.limits),
        "beside": _beside(inputs, place),
    }


def _beside(inputs: LoadInputs, place: TaskFolders) -> str:
    """Digest of the names of the files beside a Python port and in the catalog's shared folders; a
    new one where there are too many.
    """
    if inputs.source is None or not inputs.source.endswith(".py"):
        return store.key([])
    folder = Path(place.root, inputs.source).parent
    folders = (folder, *(Path(place.root, one) for one in inputs.request.shared))
    every = chain.from_iterable(one.rglob("*") for one in folders)
    paths = list(islice(every, _MAX_BESIDE + 1))
    if len(paths) > _MAX_BESIDE:
        return secrets.token_hex()
    names = (Path(os.path.relpath(path, folder)) for path in paths if path.is_file())
    return store.key(
        sorted(
            name.as_posix()
            for name in names
            if name.parts[0] != RECORDS and "__pycache__" not in name.parts
        )
    )


def _accepted(inputs: LoadInputs, place: TaskFolders) -> Iterator[Accepted]:
    """The software of valid results: of a load, then of a failure with the same surroundings.

    What cannot be loaded here, since its framework or its package is not installed, is taken as it
    was loaded elsewhere, as long as nothing is different that is known here.
    """
    versions = _versions(inputs, place)
    if _loadable(inputs, place):
        yield Accepted(versions)
        yield Accepted(versions | _surroundings(inputs, place))
    else:
        beside = {"beside": _beside(inputs, place)}
        yield Accepted(versions | beside, exact=False)


def _loadable(inputs: LoadInputs, place: TaskFolders) -> bool:
    request = absolute(inputs.request, place.root)
    if loading.absent(inputs.framework, request) is not None:
        return False
    return request.module is None or util.find_spec(request.module.partition(".")[0]) is not None


def _refused(inputs: LoadInputs, place: TaskFolders) -> Load | None:
    request = absolute(inputs.request, place.root)
    failure = loading.absent(inputs.framework, request)
    if failure is None:
        return None
    other = _other_versions(inputs, place)
    if other:
        reason = f"{failure.reason}; the stored result for these files was made with {other}"
        failure = msgspec.structs.replace(failure, reason=reason)
    version = loading.version(inputs.framework, request)
    return Load(framework=inputs.framework, version=version, failure=failure)


def _other_versions(inputs: LoadInputs, place: TaskFolders) -> str:
    """How the versions here differ from those of a stored result for the same files; else ""."""
    here = _versions(inputs, place)
    any_versions = Accepted({}, exact=False)
    for entry in place.objects.answers(LOAD.key(inputs)).values():
        if any_versions.allows(entry, Path(place.root)):
            differing = [name for name in entry.software if name in here]
            differing = [name for name in differing if here[name] != entry.software[name]]
            return ", ".join(f"{n} {entry.software[n]} (here {here[n]})" for n in differing)
    return ""


def _modules(inputs: LoadInputs) -> tuple[str, ...]:
    return (loaders.entry_point(inputs.framework).module,)


def _parts(result: Load) -> tuple[str, ...]:
    parts = (result.graph, result.onnx, result.normal, *result.texts)
    return tuple(digest for digest in parts if digest is not None)


def _observed(
    _inputs: LoadInputs, result: Load, _place: TaskFolders
) -> tuple[Mapping[str, str], Software]:
    return result.read | result.sought, result.software


LOAD = TaskKind(
    name="load",
    result=Load,
    runs=loading.load,
    run=_run,
    fails=lambda result: result.failure is not None,
    failed=lambda inputs, failure: Load(framework=inputs.framework, failure=failure),
    refuses=_refused,
    decisive=lambda inputs: msgspec.structs.replace(
        inputs, limits=Limits(), request=decisive(inputs.request)
    ),
    modules=_modules,
    software=_accepted,
    parts=_parts,
    observed=_observed,
)
