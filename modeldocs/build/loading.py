"""Loading as a task: what its key is made of, and what of its result the store may answer with."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from modeldocs import loaders
from modeldocs.build import store
from modeldocs.build.pool import Task
from modeldocs.build.results import port_name
from modeldocs.build.store import Store
from modeldocs.catalog import RECORDS, Catalog, Model, Port
from modeldocs.isolation import Failure, Limits
from modeldocs.loaders import LoadRequest, isolated
from modeldocs.loaders.isolated import Loaded

_CODE = (
    "modeldocs.normal",
    "modeldocs.graph",
    "modeldocs.origin",
    "modeldocs.operators",
    "modeldocs.isolation",
    "modeldocs.bootstrap",
    "modeldocs.confined",
    "modeldocs.landlock",
    "modeldocs.environments",
    "modeldocs.loaders.isolated",
    "modeldocs.loaders.worker",
    "modeldocs.loaders.weights",
    "modeldocs.loaders.callables",
    "modeldocs.loaders.dims",
    "modeldocs.loaders.draft",
    "modeldocs.loaders.drawing",
    "modeldocs.loaders.emitters",
    "modeldocs.loaders.windows",
)

MAX_SOURCE_BYTES = 512 * 1024
"""Sources longer than this are offered on no page."""


def load_task(catalog: Catalog, model: Model, port: Port) -> Task:
    """The task of loading a port; its key does not name the machine's folders."""
    root = Path(catalog.root)
    request = port.request
    told = msgspec.structs.replace(
        request,
        root=os.path.relpath(request.root, root),
        path=os.path.relpath(request.path, root) if request.path else None,
    )
    package = loaders.origin_package(port.framework).split(":")[0]
    return Task(
        kind="load",
        name=port_name(model, port),
        key=store.key(
            "load", port.framework, told, _weights_beside(port), store.code_version(package, *_CODE)
        ),
        arguments=(port.framework, request, port.limits),
    )


def _weights_beside(port: Port) -> list[str]:
    """Names of files of weights beside a source: a loader may take one that is added later."""
    suffixes = getattr(loaders.loader(port.framework), "weights", ())
    if port.source is None or not suffixes:
        return []
    beside = port.source.parent.glob("*")
    return sorted(path.name for path in beside if path.suffix in suffixes)


def run_load(task: Task) -> bytes:
    """Load a port in a worker process; runs in a process of the pool."""
    framework, request, limits = task.arguments
    assert isinstance(framework, str) and isinstance(request, LoadRequest)
    assert isinstance(limits, Limits)
    return msgspec.msgpack.encode(isolated.load(framework, request, limits))


def failed(port: Port, failure: Failure) -> bytes:
    """A load's result where there is none but a failure."""
    return msgspec.msgpack.encode(Loaded(framework=port.framework, failure=failure))


def stored_load(place: Store, task: Task, port: Port, root: Path) -> bytes | None:
    """What the store holds of a load, a failure included while nothing around it changed."""
    software = isolated.software(port.framework, port.request)
    if software is None:
        return place.read_load(task.key, root, None)
    return place.read_load(task.key, root, software) or place.read_load(
        task.key, root, software | _surroundings(port)
    )


def remember_load(place: Store, task: Task, port: Port, root: Path, loaded: Loaded) -> bytes:
    """Keep a load's result with the files it depended on; the result as stored."""
    read = dict(loaded.read)
    if port.source is not None and (digest := store.digest_file(port.source)):
        read.setdefault(str(port.source.resolve()), digest)
    for path in read:
        _keep_text(place, Path(path))
    told = {os.path.relpath(path, root): digest for path, digest in sorted(read.items())}
    data = msgspec.msgpack.encode(msgspec.structs.replace(loaded, read=told))
    software = loaded.software | (_surroundings(port) if loaded.failure else {})
    place.write_load(task.key, told, software, data)
    return data


def _keep_text(place: Store, path: Path) -> None:
    """Keep a source file, for its page to show; not a binary, nor one too long to read."""
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_SOURCE_BYTES else b"\0"
    except OSError:
        return
    if b"\0" not in data:
        place.write_object(data)


def _surroundings(port: Port) -> dict[str, str]:
    """What else a failure depends on: the packages installed, the limits it ran under, and which
    files lie beside a Python port, since one that it missed may be added.
    """
    return {
        "environment": store.environment(),
        "limits": store.key(port.limits),
        "beside": store.key(_beside(port)),
    }


def _beside(port: Port) -> list[str]:
    if port.source is None or port.source.suffix != ".py":
        return []
    folder = port.source.parent
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(n.as_posix() for n in names if n.parts[0] not in (RECORDS, "__pycache__"))
