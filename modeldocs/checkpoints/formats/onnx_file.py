"""`.onnx`: the initializers of a graph."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx_ir as ir

from modeldocs.checkpoints.tensors import Tensors
from modeldocs.errors import ModeldocsError


@contextlib.contextmanager
def opened(file: Path, _scratch: Path) -> Iterator[Tensors]:
    """The initializers of a file by name; those in files beside it are mapped when they are read.

    Raises:
        ModeldocsError: a file beside it is missing, or lies elsewhere.
    """
    initializers = ir.load(file).graph.initializers
    tensors = {
        name: value.const_value
        for name, value in initializers.items()
        if value.const_value is not None
    }
    for one in tensors.values():
        if isinstance(one, ir.ExternalTensor):
            _check(one, file)
    shapes = {name: tuple(map(int, one.shape.numpy())) for name, one in tensors.items()}
    # A copy maps its file anew: what was read before would stay in memory with the map.
    yield Tensors(file.name, shapes, lambda key: np.asarray(copy.copy(tensors[key]).numpy()))


def _check(tensor: ir.ExternalTensor, file: Path) -> None:
    place = Path(tensor.path)
    if not place.resolve().is_relative_to(file.parent.resolve()) or not place.is_file():
        raise ModeldocsError(
            f"its tensors are in {tensor.location}, which is not beside it",
            file=file.name,
            fix="copy that file into the same folder",
        )
