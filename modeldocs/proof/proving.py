"""A proof from its source: the framework's run, then the comparison, each in its own process."""

from __future__ import annotations

import time

import msgspec

from modeldocs import isolation
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Failure, Limits, Outcome
from modeldocs.loaders import LoadRequest, isolated, loader
from modeldocs.loaders.worker import ProveRequest, WorkResult
from modeldocs.proof import Proof
from modeldocs.proof.comparison import CompareRequest

FILE_MB = 16 * 1024
"""Weights and activations cross the border between two processes as files."""


def prove(framework: str, request: LoadRequest, limits: Limits, *, seed: int = 0) -> Proof:
    """Prove one port. Failures come back as data, never as exceptions.

    Where the outputs disagree, the framework runs a second time, for the outputs of every layer.
    """
    started = time.monotonic()
    try:
        made = _unable(framework, request) or _attempt(framework, request, limits, seed, False)
        if made.verdict == "disagrees":
            made = _attempt(framework, request, limits, seed, True)
    except ModeldocsError as error:
        made = Proof(failure=Failure.of(error))
    return msgspec.structs.replace(made, seconds=round(time.monotonic() - started, 3))


def provable(framework: str) -> bool:
    """Whether a framework's loader can run the framework itself."""
    return hasattr(loader(framework), "prove")


def _unable(framework: str, request: LoadRequest) -> Proof | None:
    if not provable(framework):
        failure = Failure(reason=f"{loader(framework).title} cannot be run", file=request.source)
        return Proof(failure=failure)
    absent = isolated.absent(framework, request, proving=True)
    return Proof(failure=absent, passing=True) if absent is not None else None


def _attempt(
    framework: str, request: LoadRequest, limits: Limits, seed: int, layers: bool
) -> Proof:
    large = msgspec.structs.replace(limits, file_mb=FILE_MB)
    asked = ProveRequest(seed=seed, layers=layers)
    with isolated.working(framework, request, large, asked) as outcome:
        failure = _failed(outcome, request)
        if failure is not None:
            return Proof(failure=failure)
        compared = CompareRequest(folder=outcome.folder)
        with isolation.run("modeldocs.proof.comparison", compared, large) as second:
            return _read(second, request)


def _failed(outcome: Outcome, request: LoadRequest) -> Failure | None:
    if outcome.failure is not None:
        return Failure(reason=outcome.failure, file=request.source, mend=outcome.mend)
    try:
        return msgspec.json.decode(outcome.read("result.json"), type=WorkResult).failure
    except (OSError, msgspec.MsgspecError) as error:
        return Failure(reason=f"left no readable result: {error}", file=request.source)


def _read(outcome: Outcome, request: LoadRequest) -> Proof:
    if outcome.failure is not None:
        reason = f"comparing it {outcome.failure}"
        failure = Failure(reason=reason, file=request.source, mend=outcome.mend)
        return Proof(failure=failure)
    try:
        return msgspec.json.decode(outcome.read("result.json"), type=Proof)
    except (OSError, msgspec.MsgspecError) as error:
        return Proof(failure=Failure(reason=f"left no readable result: {error}"))
