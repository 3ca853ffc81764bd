"""Parity: two ports run on the same inputs with the same weights, those of one transferred.

A structural diff matches the layers. Parity compares what they compute: the whole networks, and
each group of matched layers by itself on equal inputs, so that every local fault shows. Both
directions are run: A's designed weights in B, and B's in A.
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
"""Time and memory of one comparison: enough for 140 million parameters."""

MODELS = ("a.onnx", "b.onnx")
_WORKER = "modeldocs.parity.worker"


class ParityRequest(Struct, frozen=True):
    """The folder with both models, and the diff that says which layers correspond.

    `run` is false where only the weight map is wanted, which runs nothing.
    """

    folder: str
    diff: Diff
    run: bool = True


def compare(a: bytes, b: bytes, diff: Diff, limits: Limits = LIMITS) -> Parity:
    """The parity of two ports, computed in a process of its own within `limits`.

    `a` and `b` are their ONNX models in normal form, serialized; `diff` is that of their graphs. A
    failure is returned in the result; nothing is raised.
    """
    started = time.monotonic()
    try:
        parity = _run_worker((a, b), diff, limits, run=True)
    except ModeldocsError as error:
        parity = Parity(failure=Failure.of(error))
    return msgspec.structs.replace(parity, seconds=round(time.monotonic() - started, 3))


def weight_map(a: bytes, b: bytes, diff: Diff, limits: Limits = LIMITS) -> Weights:
    """How B's weights are computed from A's, in a process of its own within `limits`.

    Raises:
        ModeldocsError: no layers correspond, or the limits were reached.
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
        with isolation.run(
            _WORKER, request, limits, reads=[folder], preload=[f"{_WORKER}:preload"]
        ) as outcome:
            return outcome.result(Parity, doing="comparing the numbers ")
