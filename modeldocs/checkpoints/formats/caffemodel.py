"""`.caffemodel`: blobs by the name of their layer and their place in it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from modeldocs.checkpoints.tensors import Tensors
from modeldocs.loaders.caffe.format import binary


@contextlib.contextmanager
def opened(file: Path, _scratch: Path) -> Iterator[Tensors]:
    """The blobs of a file as views of its memory map, under keys such as `conv1:0`."""
    blobs = {
        f"{layer}:{place}": blob
        for layer, own in binary.read(file, file.name).blobs.items()
        for place, blob in enumerate(own)
        if blob.values is not None
    }

    def read(key: str) -> np.ndarray:
        return np.asarray(blobs[key].values).reshape(blobs[key].shape)

    shapes = {key: blob.shape for key, blob in blobs.items()}
    yield Tensors(file.name, shapes, read, pads_shapes=True)
