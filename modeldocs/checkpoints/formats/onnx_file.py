"""`.onnx`: the initializers of a graph."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx_ir as ir

from modeldocs.checkpoints.tensors import Tensors


@contextlib.contextmanager
def opened(file: Path, _scratch: Path) -> Iterator[Tensors]:
    """The initializers of a file by name; those in files beside it are mapped."""
    initializers = ir.load(file).graph.initializers
    tensors = {
        name: value.const_value
        for name, value in initializers.items()
        if value.const_value is not None
    }
    shapes = {name: tuple(map(int, one.shape.numpy())) for name, one in tensors.items()}
    yield Tensors(file.name, shapes, lambda key: np.asarray(tensors[key].numpy()))
