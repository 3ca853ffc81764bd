"""Loading seen from outside: a port in, its graph and ONNX out, whatever its code does."""

from __future__ import annotations

import time
from importlib import metadata

import msgspec

from modeldocs import isolation
from modeldocs.errors import ModeldocsError
from modeldocs.graph import LayerGraph, Struct, decode
from modeldocs.isolation import Failure, Limits
from modeldocs.loaders import LoadRequest, loader
from modeldocs.loaders.worker import WorkRequest, WorkResult


class Loaded(Struct, frozen=True):
    """A port that was loaded, or the failure that says why not.

    `software` names what decided the result by version; `read` holds digests of the files that
    the result depends on, by absolute path; `printed` is what the port wrote to its output.
    """

    framework: str
    graph: LayerGraph | None = None
    onnx: bytes = b""
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


def load(framework: str, request: LoadRequest, limits: Limits) -> Loaded:
    """Load one port in a worker process. Failures come back as data, never as exceptions."""
    try:
        described, version = loader(framework), framework_version(framework)
    except ModeldocsError as error:
        return Loaded(framework=framework, failure=Failure.of(error))
    if version is None:
        return Loaded(
            framework=framework,
            failure=Failure(
                reason=f"{described.title} is not installed, and no stored result fits",
                file=request.source,
                mend=f'pip install "modeldocs[{described.extra or framework}]"',
            ),
        )
    started = time.monotonic()
    with isolation.run(
        "modeldocs.loaders.worker", WorkRequest(framework=framework, load=request), limits
    ) as outcome:
        loaded = _collect(framework, request, outcome)
    software = {described.distribution: version} if described.distribution else {}
    return msgspec.structs.replace(
        loaded, software=software, seconds=round(time.monotonic() - started, 3)
    )


def _collect(framework: str, request: LoadRequest, outcome: isolation.Outcome) -> Loaded:
    file = request.source
    if outcome.failure is not None:
        failure = Failure(reason=outcome.failure, file=file, mend=outcome.mend)
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
            graph=decode(outcome.read("graph.json")),
            onnx=outcome.read("model.onnx"),
            read=result.read,
            printed=outcome.printed,
        )
    except (OSError, msgspec.MsgspecError) as error:
        failure = Failure(reason=f"left no readable result: {error}", file=file)
        return Loaded(framework=framework, failure=failure, printed=outcome.printed)
