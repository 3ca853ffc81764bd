"""What an ONNX file stores: the parameters among its initializers."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders import checkpoint_layout
from modeldocs.loaders.checkpoint_layout import CheckpointLayout, StoredTensor
from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission.inference import shape_of


def layout(model: ir.Model) -> CheckpointLayout:
    """The parameters of a loaded graph, under their own names."""
    values = model.graph.initializers.values()
    tensors = [
        StoredTensor(
            str(one.name), sizes(shape_of(one)), str(one.dtype.numpy()) if one.dtype else "float32"
        )
        for one in values
        if origin.parameter_kind(one) is not None
    ]
    return checkpoint_layout.plain(tensors)
