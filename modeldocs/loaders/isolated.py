"""Loading seen from outside: a port in, its graph and ONNX out, whatever its code does."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import msgspec

from modeldocs import environments, isolation
from modeldocs.environments import Environment
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.ir import LayerGraph, decode
from modeldocs.isolation import Limits
from modeldocs.loaders import (
    BrokenLoader,
    LoadRequest,
    callables,
    entry_point,
    loader,
    not_models,
    worker,
)
from modeldocs.loaders.worker import WorkRequest, WorkResult
from modeldocs.struct import Struct


class Loaded(Struct, frozen=True):
    """A port that was loaded, or the failure that says why not.

    `onnx` is its ONNX as it was loaded, `normal` in normal form, both without weights.
    `software` names what decided the result by version; `read` holds digests of the files that
    the result depends on, by absolute path; `printed` is what the port wrote to its output.
    """

    framework: str
    graph: LayerGraph | None = None
    onnx: bytes = b""
    normal: bytes = b""
    failure: Failure | None = None
    software: dict[str, str] = {}
    read: dict[str, str] = {}
    printed: str = ""
    seconds: float = 0.0


def framework_version(framework: str) -> str | None:
    """Version of the framework's package; "" for a data format, None where it is not installed."""
    distribution = loader(framework).distribution
    if distribution is None:
        return ""
    try:
        return metadata.version(distribution).split("+")[0]
    except metadata.PackageNotFoundError:
        return None


def environment(
    framework: str, request: LoadRequest, *, proving: bool = False
) -> Environment | None:
    """The environment that a source is loaded or proven in; None for this interpreter."""
    if request.declared is not None:
        return request.declared
    name = loader(framework).environment(request, proving=proving)
    return environments.locked(name) if name is not None else None


def software(
    framework: str, request: LoadRequest, *, proving: bool = False
) -> dict[str, str] | None:
    """What decides a result, by version; None where its framework is not installed.

    An environment is told by what was asked for: it need not be there to know a stored result.
    """
    held = environment(framework, request, proving=proving)
    if held is not None:
        return {f"environment {held.name}": held.folder.name}
    distribution, version = loader(framework).distribution, framework_version(framework)
    if version is None:
        return None
    return {distribution: version} if distribution else {}


def absent(framework: str, request: LoadRequest, *, proving: bool = False) -> Failure | None:
    """Why a source cannot be tried here: its framework or its environment is not there."""
    described = loader(framework)
    if isinstance(described, BrokenLoader):
        return Failure.of(described.error)
    held = environment(framework, request, proving=proving)
    if held is not None and not held.ready:
        return Failure.of(environments.missing(held, described.title, request.source))
    if held is None and framework_version(framework) is None:
        return Failure(
            reason=f"{described.title} is not installed, and no stored result fits",
            file=request.source,
            fix=f'pip install "modeldocs[{described.extra or framework}]"',
        )
    return None


def load(framework: str, request: LoadRequest, limits: Limits) -> Loaded:
    """Load one port in a worker process. Failures come back as data, never as exceptions."""
    try:
        pointer = not_models.pointer(Path(request.path)) if request.path is not None else None
        failure = Failure.of(pointer) if pointer is not None else absent(framework, request)
    except ModeldocsError as error:
        failure = Failure.of(error)
    if failure is not None:
        return Loaded(framework=framework, failure=failure)
    started = time.monotonic()
    with working(framework, request, limits) as outcome:
        loaded = _collect(framework, request, outcome)
    return msgspec.structs.replace(
        loaded,
        software=software(framework, request) or {},
        seconds=round(time.monotonic() - started, 3),
    )


@contextlib.contextmanager
def working(
    framework: str, request: LoadRequest, limits: Limits, prover: str | None = None
) -> Iterator[isolation.Outcome]:
    """A worker's run, in the interpreter that the source needs.

    `prover` is the module that works in place of `modeldocs.loaders.worker`, to prove the source.
    """
    held = environment(framework, request, proving=prover is not None)
    work = WorkRequest(
        framework=framework,
        loader=entry_point(framework).value,
        load=request,
        beside=_beside(framework),
    )
    python = str(held.executable) if held is not None else sys.executable
    reads = [place for place in (request.root, request.path, work.beside) if place]
    if request.path is not None:
        reads.append(str(Path(request.path).resolve().parent))
    reads += callables.package_folders(request.module)
    module = prover or worker.__name__
    with isolation.run(module, work, limits, python, reads=reads) as outcome:
        yield outcome


def _beside(framework: str) -> str | None:
    """The folder of the package that a loader comes from, None for our own."""
    package = entry_point(framework).module.partition(".")[0]
    spec = importlib.util.find_spec(package) if package != "modeldocs" else None
    if spec is None or spec.origin is None:
        return None
    place = Path(spec.origin).parent
    return str(place.parent if spec.submodule_search_locations else place)


def _collect(framework: str, request: LoadRequest, outcome: isolation.Outcome) -> Loaded:
    file = request.source
    if outcome.failure is not None:
        failure = Failure(reason=outcome.failure, file=file, fix=outcome.fix)
        return Loaded(framework=framework, failure=failure, printed=outcome.printed)
    try:
        result = msgspec.json.decode(outcome.read("result.json"), type=WorkResult)
        if result.failure is not None:
            return Loaded(
                framework=framework,
                failure=result.failure,
                read=result.read,
                printed=outcome.printed,
            )
        return Loaded(
            framework=framework,
            graph=decode(outcome.read(worker.GRAPH)),
            onnx=outcome.read(worker.MODEL),
            normal=outcome.read(worker.NORMAL),
            read=result.read,
            printed=outcome.printed,
        )
    except (OSError, msgspec.MsgspecError) as error:
        failure = Failure(reason=f"left no readable result: {error}", file=file)
        return Loaded(framework=framework, failure=failure, printed=outcome.printed)
