"""Parity: one port's designed weights carried into another, and both run on the same inputs.

A structural diff says which layers correspond. Parity holds their numbers against each other, with
the weights of either: the whole networks, and each layer alone on the same inputs, so that every
local fault shows.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import msgspec

from modeldocs import isolation
from modeldocs.diff import Diff, Parity, Weights
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.struct import Struct

LIMITS = Limits(seconds=120.0, memory_mb=4096)
"""What one comparison may take: enough for 140 million parameters."""

MODELS = ("a.onnx", "b.onnx")


class ParityRequest(Struct, frozen=True):
    """The folder that both models lie in, and the diff that says which layers correspond.

    `run` tells whether they are run, or only how the weights of the one become the other's.
    """

    folder: str
    diff: Diff
    run: bool = True


def compare(a: bytes, b: bytes, diff: Diff, limits: Limits = LIMITS) -> Parity:
    """How far two ports are apart in numbers, in a process of its own, within `limits`.

    `a` and `b` are their ONNX in normal form, `diff` that of their graphs. Failures come back as
    data, never as exceptions.
    """
    started = time.monotonic()
    try:
        parity = _run_worker((a, b), diff, limits, run=True)
    except ModeldocsError as error:
        parity = Parity(failure=Failure.of(error))
    return msgspec.structs.replace(parity, seconds=round(time.monotonic() - started, 3))


def weight_map(a: bytes, b: bytes, diff: Diff, limits: Limits = LIMITS) -> Weights:
    """How B's weights are made of A's, in a process of its own, within `limits`.

    Raises:
        ModeldocsError: nothing corresponds, or the limits were reached.
    """
    parity = _run_worker((a, b), diff, limits, run=False)
    if parity.failure is not None:
        raise parity.failure.error()
    return parity.a_to_b.weights


def _run_worker(models: tuple[bytes, bytes], diff: Diff, limits: Limits, *, run: bool) -> Parity:
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        for name, model in zip(MODELS, models, strict=True):
            Path(folder, name).write_bytes(model)
        without_parity = msgspec.structs.replace(diff, parity=None)
        request = ParityRequest(folder=folder, diff=without_parity, run=run)
        with isolation.run("modeldocs.parity.worker", request, limits, reads=[folder]) as outcome:
            return _result(outcome)


def _result(outcome: isolation.Outcome) -> Parity:
    """What the worker left.

    Raises:
        ModeldocsError: it ended without a result, or left one that cannot be read.
    """
    if outcome.failure is not None:
        raise ModeldocsError(f"comparing the numbers {outcome.failure}", mend=outcome.mend)
    try:
        return msgspec.json.decode(outcome.read("result.json"), type=Parity)
    except (OSError, msgspec.MsgspecError) as error:
        raise ModeldocsError(f"left no readable result: {error}") from None
