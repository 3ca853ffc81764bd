"""What an ONNX file stores: its initializers, among them constants such as shapes."""

from __future__ import annotations

from collections.abc import Iterable, Set

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders import checkpoint_layout
from modeldocs.loaders.checkpoint_layout import CheckpointLayout, StoredTensor
from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.reference import Arrays


def layout(
    model: ir.Model, proto: onnx.ModelProto, mapped: Set[str]
) -> tuple[CheckpointLayout, Arrays]:
    """The parameters of a loaded graph, and the other initializers of its file, with their values
    as far as they are in it and not `mapped`.
    """
    values = model.graph.initializers.values()
    tensors = [
        StoredTensor(
            str(one.name), sizes(shape_of(one)), str(one.dtype.numpy()) if one.dtype else "float32"
        )
        for one in values
        if origin.parameter_kind(one) is not None
    ]
    names = {one.name for one in tensors}
    constants = dict(_constants(proto, names))
    tensors += [StoredTensor(n, one.shape, one.dtype.name) for n, one in constants.items()]
    own = {name: array for name, array in constants.items() if name not in mapped}
    return checkpoint_layout.plain(tensors), own


def _constants(proto: onnx.ModelProto, parameters: Set[str]) -> Iterable[tuple[str, np.ndarray]]:
    """The initializers in the file itself that are no parameters."""
    for one in proto.graph.initializer:
        is_inside = one.data_location != onnx.TensorProto.EXTERNAL
        if one.name not in parameters and is_inside:
            yield one.name, onnx.numpy_helper.to_array(one)
