"""A map of weights applied to a file, in a process of its own (`main`).

Tensors are read, computed and written one after another: no more of them are in memory than one is
computed from.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Protocol

import msgspec
import numpy as np

from modeldocs import isolation
from modeldocs.checkpoints import binding, formats
from modeldocs.checkpoints.binding import BoundTensors, Misfit
from modeldocs.checkpoints.tensors import Shape
from modeldocs.diff import MappedWeight
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.loaders import reference
from modeldocs.loaders.checkpoint_layout import CheckpointLayout, StoredTensor
from modeldocs.numeric.parity.evaluation import evaluate_steps
from modeldocs.struct import Struct

CONVERTED: Final = "converted"
"""The file that is written."""


class ApplyRequest(Struct, frozen=True):
    """The file of A's weights, what A and B store, and how B's are computed.

    `own` is a file of the values that B has of itself, `ending` and `spelling` those of the file
    that is written.
    """

    file: str
    network: str
    a: CheckpointLayout
    b: CheckpointLayout
    mapped: tuple[MappedWeight, ...]
    own: str
    ending: str
    spelling: str


class Applied(Struct, frozen=True):
    """What was written: how many tensors, and the names of those that B has of itself.

    `misfits` are the tensors of A's file that do not fit its network; nothing is written then.
    """

    tensors: int = 0
    own: tuple[str, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    failure: Failure | None = None


class _TensorWriter(Protocol):
    def write(self, key: str, array: np.ndarray) -> None: ...

    def close(self) -> None: ...


def main(folder: Path) -> None:
    """Write the file that `request.json` in `folder` asks for beside it."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=ApplyRequest)
    try:
        result = _apply(request, folder)
    except ModeldocsError as error:
        result = Applied(failure=Failure.of(error))
    isolation.write_result(folder, result)


def _apply(request: ApplyRequest, folder: Path) -> Applied:
    needed = {name for one in request.mapped for name in one.sources}
    with bound(Path(request.file), request.a, needed, folder) as (arrays, misfits):
        if misfits:
            failure = Failure.of(binding.error(misfits, request.file, request.network))
            return Applied(misfits=tuple(misfits), failure=failure)
        own = reference.read_arrays(Path(request.own)).get("own", {})
        mapped = {one.target: one for one in request.mapped}
        keys = request.b.keys(request.spelling)
        described = {keys[one.name]: (one.shape, one.dtype) for one in request.b.tensors}
        with contextlib.closing(_writer(request.ending, folder, described)) as writer:
            for one in request.b.tensors:
                array = own.get(one.name)
                if one.name in mapped:
                    array = evaluate_steps(mapped[one.name].steps, arrays)
                writer.write(keys[one.name], _checked(one, array))
        left = tuple(one.name for one in request.b.tensors if one.name not in mapped)
        return Applied(len(request.b.tensors), left)


@contextlib.contextmanager
def bound(
    file: Path, layout: CheckpointLayout, needed: set[str], scratch: Path
) -> Iterator[tuple[BoundTensors, list[Misfit]]]:
    """The tensors of a file by the names of a network's graph, and what does not fit.

    Raises:
        ModeldocsError: the file cannot be read.
    """
    with formats.opened(file, scratch) as tensors:
        yield binding.bind(layout, tensors, needed)


def _writer(ending: str, folder: Path, tensors: Mapping[str, tuple[Shape, str]]) -> _TensorWriter:
    module, _, name = formats.WRITERS[ending].partition(":")
    made = getattr(importlib.import_module(f"{formats.__name__}.{module}"), name)
    writer: _TensorWriter = made(folder / CONVERTED, tensors)
    return writer


def _checked(stored: StoredTensor, array: np.ndarray | None) -> np.ndarray:
    """An array in the type in which it is stored."""
    if array is None or tuple(array.shape) != stored.shape:
        found = "nothing" if array is None else f"an array of {array.shape}"
        raise ModeldocsError(
            f"the map gives {found} for {stored.name!r}, which is {stored.shape}",
            fix="this is a defect of modeldocs; report it with both networks",
        )
    return np.asarray(array, np.dtype(stored.dtype))
