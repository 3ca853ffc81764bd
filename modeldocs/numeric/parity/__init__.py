"""Parity: two ports run on the same inputs with the same weights, those of one transferred.

A structural diff matches the layers. Parity compares what they compute: the whole networks, and
each group of matched layers by itself on equal inputs, so that every local fault shows. Both
directions are run: A's designed weights in B, and B's in A.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from modeldocs import isolation
from modeldocs.diff import Diff, Parity, Weights
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.isolation import Limits, ProcessOutcome
from modeldocs.struct import Struct

LIMITS = Limits(seconds=120.0, memory_mb=4096)
"""Time and memory of one comparison: enough for 140 million parameters."""

_WORKER = "modeldocs.numeric.parity.worker"


class PairRequest(Struct, frozen=True):
    """The files of two models, and the diff that says which layers correspond."""

    a: str
    b: str
    diff: Diff


class PairsRequest(Struct, frozen=True):
    """The pairs to compare, one after another, and the folder of the models.

    `run` is false where only the weight map is wanted, which runs nothing.
    """

    folder: str
    pairs: tuple[PairRequest, ...]
    run: bool = True


class Ended(Struct, frozen=True):
    """The end of a run, whose pairs have a file each: see `result_file`."""


def result_file(index: int) -> str:
    """The file of the parity of the pair with that index, in the folder of its run."""
    return f"parity-{index}.json"


def compare(a: bytes, b: bytes, diff: Diff, limits: Limits = LIMITS) -> Parity:
    """The parity of two ports, computed in a process of its own within `limits`.

    `a` and `b` are their ONNX models in normal form, serialized; `diff` is that of their graphs. A
    failure is returned in the result; nothing is raised.
    """
    started = time.monotonic()
    try:
        parity = _run_alone((a, b), diff, limits, run=True)
    except ModeldocsError as error:
        parity = Parity(failure=Failure.of(error))
    return msgspec.structs.replace(parity, seconds=round(time.monotonic() - started, 3))


def compare_together(
    models: Mapping[str, bytes], pairs: Sequence[tuple[str, str, Diff]], limits: Limits = LIMITS
) -> list[Parity | None]:
    """The parities of pairs of some models by name, computed one after another in one process.

    What several pairs share is done once. The results are those of `compare`; None stands for a
    pair that `compare` has to be called for: what it found is no success, or the pairs before it
    took so long that little would be gained.
    """
    with _running(models, pairs, limits, run=True) as outcome:
        found = [_found(outcome, index) for index in range(len(pairs))]
    return [one if one is not None and one.failure is None else None for one in found]


def weight_map(a: bytes, b: bytes, diff: Diff, limits: Limits = LIMITS) -> Weights:
    """How B's weights are computed from A's, in a process of its own within `limits`.

    Raises:
        ModeldocsError: no layers correspond, or the limits were reached.
    """
    parity = _run_alone((a, b), diff, limits, run=False)
    if parity.failure is not None:
        raise parity.failure.error()
    return parity.a_to_b.weights


def _run_alone(models: tuple[bytes, bytes], diff: Diff, limits: Limits, *, run: bool) -> Parity:
    named = dict(zip("ab", models, strict=True))
    with _running(named, [("a", "b", diff)], limits, run=run) as outcome:
        outcome.result(Ended, doing="comparing the numbers ")
        try:
            return _read(outcome, 0)
        except (OSError, msgspec.MsgspecError) as error:
            raise isolation.unreadable(error, None) from None


@contextlib.contextmanager
def _running(
    models: Mapping[str, bytes],
    pairs: Sequence[tuple[str, str, Diff]],
    limits: Limits,
    *,
    run: bool,
) -> Iterator[ProcessOutcome]:
    """A run of the worker on pairs of models: its outcome."""
    with contextlib.ExitStack() as stack:
        files = {name: f"{index}.onnx" for index, name in enumerate(models)}
        with isolation.preparing():
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="modeldocs-"))
            for name, model in models.items():
                Path(folder, files[name]).write_bytes(model)
        requests = (
            PairRequest(a=files[a], b=files[b], diff=msgspec.structs.replace(diff, parity=None))
            for a, b, diff in pairs
        )
        request = PairsRequest(folder=folder, pairs=tuple(requests), run=run)
        preload = [f"{_WORKER}:preload"]
        with isolation.run(_WORKER, request, limits, reads=[folder], preload=preload) as outcome:
            yield outcome


def _found(outcome: ProcessOutcome, index: int) -> Parity | None:
    """The parity of a pair that a run wrote; None where it wrote none that can be read."""
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return _read(outcome, index)
    return None


def _read(outcome: ProcessOutcome, index: int) -> Parity:
    return msgspec.json.decode(outcome.read(result_file(index)), type=Parity)
