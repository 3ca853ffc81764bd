"""Values for the weights that an ONNX file names but does not hold."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from modeldocs.benchmarks.runners.benchmarked_model import random_weights


def stand_ins(proto: onnx.ModelProto, folder: Path) -> dict[str, np.ndarray]:
    """Arrays by name for the initializers whose external file is missing.

    They are random and of a size that keeps activations finite: weights are scaled by the number
    of values that a product sums up, and vectors lie between 0.5 and 1.5.
    """
    return {
        tensor.name: _values(tensor)
        for tensor in proto.graph.initializer
        if tensor.data_location == onnx.TensorProto.EXTERNAL and not _file(tensor, folder).exists()
    }


def load_present(proto: onnx.ModelProto, folder: Path) -> None:
    """Load the initializers whose external file is there."""
    for tensor in proto.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL and _file(tensor, folder).exists():
            array = numpy_helper.to_array(tensor, str(folder))
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def _file(tensor: onnx.TensorProto, folder: Path) -> Path:
    location = next((e.value for e in tensor.external_data if e.key == "location"), "")
    return folder / location


def _values(tensor: onnx.TensorProto) -> np.ndarray:
    shape = tuple(tensor.dims)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
    if not np.issubdtype(dtype, np.floating):
        return np.zeros(shape, dtype)
    return random_weights(tensor.name, shape, math.prod(shape[1:])).astype(dtype)
