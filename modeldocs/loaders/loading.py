"""Loading of ports in isolated worker processes, from the parent's side."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
import tempfile
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
    LiveRequest,
    Loader,
    LoadRequest,
    entry_point,
    loader,
    not_models,
    worker,
)
from modeldocs.loaders.python_source import own_files
from modeldocs.loaders.worker import LoadOutcome, WorkRequest
from modeldocs.struct import Struct


class LoadedPort(Struct, frozen=True):
    """A loaded port, or the failure that says why it could not be loaded.

    `onnx` is its ONNX as it was loaded, `normal` in normal form, both without weights.
    `software` are the versions that the result depends on, by name; `read` are digests of the files
    that it depends on, by absolute path, `sought` what it saw of folders and of files that are not
    there (see `modeldocs.digest.seen`); `printed` is what the port wrote to its output.
    """

    framework: str
    graph: LayerGraph | None = None
    onnx: bytes = b""
    normal: bytes = b""
    failure: Failure | None = None
    software: dict[str, str] = {}
    read: dict[str, str] = {}
    sought: dict[str, str] = {}
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


def version(framework: str, request: LoadRequest) -> str | None:
    """Version of the framework that a source is loaded with; None where it has none."""
    chosen = environment(framework, request)
    if chosen is None:
        if isinstance(request, LiveRequest) and framework == "keras":
            return metadata.version(framework)  # imported here, where its environment is not
        return framework_version(framework) or None
    names = (framework, f"{framework}-cpu", loader(framework).distribution)
    return next((found for name in names if name and (found := chosen.version(name))), None)


def environment(
    framework: str, request: LoadRequest, *, proving: bool = False
) -> Environment | None:
    """The environment to load or prove a source in; None for this interpreter."""
    if isinstance(request, LiveRequest):
        return None
    if request.declared is not None:
        return request.declared
    name = loader(framework).environment(request, proving=proving)
    return environments.locked(name) if name is not None else None


def software(
    framework: str, request: LoadRequest, *, proving: bool = False
) -> dict[str, str] | None:
    """The versions that a result depends on, by name; None where its framework is not installed.

    The version of an environment is a digest of its requirements: it need not be installed for a
    stored result to be found.
    """
    chosen = environment(framework, request, proving=proving)
    if chosen is not None:
        return {f"environment {chosen.name}": chosen.folder.name}
    distribution, version = loader(framework).distribution, framework_version(framework)
    if version is None:
        return None
    return {distribution: version} if distribution else {}


def absent(framework: str, request: LoadRequest, *, proving: bool = False) -> Failure | None:
    """The failure where a source's framework or environment is not installed; None where it is."""
    chosen = loader(framework)
    if isinstance(chosen, BrokenLoader):
        return Failure.of(chosen.error)
    needed = environment(framework, request, proving=proving)
    if needed is not None and not needed.ready:
        return Failure.of(environments.missing(needed, chosen.title, request.source))
    if needed is None and framework_version(framework) is None:
        return Failure(
            reason=f"{chosen.title} is not installed",
            file=request.source,
            fix=installation(chosen),
        )
    return None


def installation(chosen: Loader) -> str:
    """How the framework of a loader is installed in this interpreter."""
    return chosen.install or f"pip install {chosen.distribution}"


def load(framework: str, request: LoadRequest, limits: Limits) -> LoadedPort:
    """Load one port in a worker process; failures are returned, not raised."""
    try:
        error = mistaken(framework, request)
        failure = Failure.of(error) if error is not None else absent(framework, request)
    except ModeldocsError as error:
        failure = Failure.of(error)
    if failure is not None:
        return LoadedPort(framework=framework, failure=failure)
    started = time.monotonic()
    with running(framework, request, limits) as outcome:
        loaded = _collect(framework, request, outcome)
    return msgspec.structs.replace(
        loaded,
        software=software(framework, request) or {},
        seconds=round(time.monotonic() - started, 3),
    )


def mistaken(framework: str, request: LoadRequest) -> ModeldocsError | None:
    """The error for a source that is no file of the framework; see `not_models.mistaken`."""
    return not_models.mistaken(Path(request.path), framework) if request.path else None


@contextlib.contextmanager
def running(
    framework: str,
    request: LoadRequest,
    limits: Limits,
    prover: str | None = None,
    given: str | None = None,
    *,
    proving: bool | None = None,
) -> Iterator[isolation.ProcessOutcome]:
    """Run a worker in the interpreter that the source needs; its outcome.

    For an object of this process the worker runs in it, within no limits.

    `prover` is the module to run in place of `modeldocs.loaders.worker`, to prove the source;
    `given` is the folder of arrays that it runs with, if it takes one. `proving` is whether it runs
    the source in its framework: by default, whether there is such a module.
    """
    if proving is None:
        proving = prover is not None
    needed = environment(framework, request, proving=proving)
    work = WorkRequest(
        framework=framework,
        loader=entry_point(framework).value,
        load=request,
        loader_folder=_loader_folder(framework),
        given=given,
    )
    module = prover or worker.__name__
    if isinstance(request, LiveRequest):
        with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
            yield _run_here(work, module, Path(folder))
        return
    reads = [*readable(request), *filter(None, [work.loader_folder, given])]
    # A server imports what it forks unconfined: not the packages that a catalog declares.
    trusted = request.declared is None
    shared = preload(framework) if trusted else ()
    with isolation.run(
        module, work, limits, interpreter(needed), reads=reads, preload=shared
    ) as outcome:
        yield outcome


def _run_here(work: WorkRequest, module: str, folder: Path) -> isolation.ProcessOutcome:
    """The outcome of a worker that ran in this process; what it prints is printed."""
    do: worker.Work = importlib.import_module(module).do
    isolation.write_result(folder, LoadOutcome(failure=worker.attempted(work, folder, do)))
    file_mb = Limits().file_mb * 2**10
    return isolation.ProcessOutcome(folder=str(folder), printed="", file_mb=file_mb)


def preload(framework: str) -> tuple[str, ...]:
    """What loads of a framework share: see `isolation.run`."""
    own: tuple[str, ...] = getattr(loader(framework), "preload", ())
    return (*own, f"{worker.__name__}:{worker.preload.__name__}")


def interpreter(chosen: Environment | None) -> str:
    """The Python of an environment; this one where it is None."""
    return str(chosen.executable) if chosen is not None else sys.executable


def readable(request: LoadRequest) -> list[str]:
    """The files and folders that the code of a source may read."""
    places = [place for place in (request.root, request.path, *request.shared) if place]
    if request.path is not None:
        places.append(str(Path(os.path.realpath(request.path)).parent))
    return [*places, *own_files.package_folders(request.module)]


def _loader_folder(framework: str) -> str | None:
    """The folder to import a loader's package from, None for our own package."""
    package = entry_point(framework).module.partition(".")[0]
    spec = importlib.util.find_spec(package) if package != "modeldocs" else None
    if spec is None or spec.origin is None:
        return None
    place = Path(spec.origin).parent
    return str(place.parent if spec.submodule_search_locations else place)


def _collect(framework: str, request: LoadRequest, outcome: isolation.ProcessOutcome) -> LoadedPort:
    """What the worker wrote, or the failure where it wrote none."""
    loaded = LoadedPort(framework=framework, printed=outcome.printed)
    replace = msgspec.structs.replace
    try:
        result = outcome.result(LoadOutcome, file=request.source)
        if result.failure is not None:
            return replace(loaded, failure=result.failure, read=result.read, sought=result.sought)
        return replace(
            loaded,
            graph=decode(outcome.read(worker.GRAPH)),
            onnx=outcome.read(worker.MODEL),
            normal=outcome.read(worker.NORMAL),
            read=result.read,
            sought=result.sought,
        )
    except ModeldocsError as error:
        failure = Failure.of(error)
    except (OSError, msgspec.MsgspecError) as error:
        failure = Failure.of(isolation.unreadable(error, request.source))
    return replace(loaded, failure=failure)
