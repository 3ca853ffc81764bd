"""Loading a port: its graph, its ONNX and the sources it read are left in the store, by digest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from modeldocs import loaders
from modeldocs.catalog import RECORDS, Catalog, Model, Port
from modeldocs.errors import Failure
from modeldocs.ir import encode
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, isolated
from modeldocs.loaders.isolated import Loaded
from modeldocs.struct import Struct
from modeldocs.tasks import closure, store
from modeldocs.tasks.kind import Kind, Place, Software
from modeldocs.tasks.names import port_name
from modeldocs.tasks.pool import Task
from modeldocs.tasks.store import Store

MAX_SOURCE_BYTES = 512 * 1024
"""Sources longer than this are offered on no page."""


class LoadInputs(Struct, frozen=True):
    """A port to be loaded, its paths relative to the catalog's folder.

    `weights` are names of files of weights beside its source: a loader may take one that is added
    later.
    """

    framework: str
    request: LoadRequest
    source: str | None
    weights: tuple[str, ...]
    limits: Limits


class Load(Struct, frozen=True):
    """A port that was loaded, or the failure that says why not.

    `graph`, `onnx` and `normal` are digests in the store: of its graph's JSON, and of its ONNX as
    it was loaded and in normal form.
    `software` names what decided the result by version; `read` holds digests of the files that the
    result depends on, by path relative to the catalog's folder; `printed` is what the port wrote to
    its output.
    """

    framework: str
    graph: str | None = None
    onnx: str | None = None
    normal: str | None = None
    failure: Failure | None = None
    software: dict[str, str] = {}
    read: dict[str, str] = {}
    printed: str = ""
    seconds: float = 0.0


def task(catalog: Catalog, model: Model, port: Port) -> Task:
    """The task of loading a port."""
    inputs = LoadInputs(
        framework=port.framework,
        request=relative(port.request, catalog.root),
        source=os.path.relpath(port.source, catalog.root) if port.source is not None else None,
        weights=_weights_beside(port),
        limits=port.limits,
    )
    return Task(kind=LOAD.name, name=port_name(model, port), inputs=inputs)


def relative(request: LoadRequest, root: str) -> LoadRequest:
    """A request with its paths relative to the catalog's folder, so that no machine is in a key."""
    path = os.path.relpath(request.path, root) if request.path else None
    return msgspec.structs.replace(request, root=os.path.relpath(request.root, root), path=path)


def absolute(request: LoadRequest, root: str) -> LoadRequest:
    """A relative request as this machine has its files."""
    path = os.path.normpath(Path(root, request.path)) if request.path else None
    folder = os.path.normpath(Path(root, request.root))
    return msgspec.structs.replace(request, root=folder, path=path)


def _weights_beside(port: Port) -> tuple[str, ...]:
    suffixes = getattr(loaders.loader(port.framework), "weights", ())
    if port.source is None or not suffixes:
        return ()
    beside = port.source.parent.glob("*")
    return tuple(sorted(path.name for path in beside if path.suffix in suffixes))


def _run(inputs: LoadInputs, place: Place) -> Load:
    request = absolute(inputs.request, place.root)
    loaded = isolated.load(inputs.framework, request, inputs.limits)
    return _left(loaded, inputs, place)


def _left(loaded: Loaded, inputs: LoadInputs, place: Place) -> Load:
    """What is left of a load: its parts in the store, and what it depended on."""
    objects = place.objects
    read = dict(loaded.read)
    if inputs.source is not None:
        source = os.path.normpath(Path(place.root, inputs.source))
        if digest := store.digest_file(Path(source)):
            read.setdefault(os.path.realpath(source), digest)
    for path in read:
        _keep_text(objects, Path(path))
    root = os.path.realpath(place.root)
    software = dict(_software(inputs, place) or {})
    if loaded.failure is not None:
        software |= _surroundings(inputs, place)
    return Load(
        framework=loaded.framework,
        graph=objects.write_object(encode(loaded.graph)) if loaded.graph is not None else None,
        onnx=objects.write_object(loaded.onnx) if loaded.graph is not None else None,
        normal=objects.write_object(loaded.normal) if loaded.graph is not None else None,
        failure=loaded.failure,
        software=software,
        read={os.path.relpath(path, root): digest for path, digest in sorted(read.items())},
        printed=loaded.printed,
        seconds=loaded.seconds,
    )


def _keep_text(objects: Store, path: Path) -> None:
    """Keep a source file, for its page to show; not a binary, nor one too long to read."""
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_SOURCE_BYTES else b"\0"
    except OSError:
        return
    if b"\0" not in data:
        objects.write_object(data)


def _software(inputs: LoadInputs, place: Place) -> Software | None:
    """Versions that decide a load: of its environment, else of all that it reaches here.

    None where its framework is not installed.
    """
    request = absolute(inputs.request, place.root)
    held = isolated.software(inputs.framework, request)
    if held is None or isolated.environment(inputs.framework, request) is not None:
        return held
    reached = closure.closure(isolated.__name__, *_modules(inputs))
    return closure.versions(reached.packages) | held


def _surroundings(inputs: LoadInputs, place: Place) -> dict[str, str]:
    """What else a failure depends on: the packages installed, the limits it ran under, and which
    files lie beside a Python port, since one that it missed may be added.
    """
    return {
        "environment": store.environment(),
        "limits": store.key(inputs.limits),
        "beside": store.key(_beside(inputs, place)),
    }


def _beside(inputs: LoadInputs, place: Place) -> list[str]:
    if inputs.source is None or not inputs.source.endswith(".py"):
        return []
    folder = Path(place.root, inputs.source).parent
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(n.as_posix() for n in names if n.parts[0] not in (RECORDS, "__pycache__"))


def _accepted(inputs: LoadInputs, place: Place) -> Iterator[Software | None]:
    """A result of the same software; or a failure, while nothing around it has changed."""
    held = _software(inputs, place)
    yield held
    if held is not None:
        yield dict(held) | _surroundings(inputs, place)


def _refused(inputs: LoadInputs, place: Place) -> Load | None:
    failure = isolated.absent(inputs.framework, absolute(inputs.request, place.root))
    return Load(framework=inputs.framework, failure=failure) if failure is not None else None


def _modules(inputs: LoadInputs) -> tuple[str, ...]:
    return (loaders.entry_point(inputs.framework).module,)


def _parts(result: Load) -> tuple[str, ...]:
    return tuple(
        digest for digest in (result.graph, result.onnx, result.normal) if digest is not None
    )


def _observed(result: Load) -> tuple[Mapping[str, str], Software]:
    return result.read, result.software


LOAD = Kind(
    name="load",
    result=Load,
    runs=isolated.load,
    run=_run,
    fails=lambda result: result.failure is not None,
    failed=lambda inputs, failure: Load(framework=inputs.framework, failure=failure),
    refuses=_refused,
    decisive=lambda inputs: msgspec.structs.replace(inputs, limits=Limits()),
    modules=_modules,
    software=_accepted,
    parts=_parts,
    observed=_observed,
)
