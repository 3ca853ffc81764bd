"""Emitter of batch normalization by the statistics of the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx


def batch_statistics(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """BatchNormalization in training mode: its running statistics are inputs that nothing reads."""
    from onnxscript import opset23

    op: Any = opset23
    channels = int(x.shape[1])

    def filled(number: float) -> Any:
        array = np.full(channels, number, np.float32)
        return op.Constant(value=onnx.numpy_helper.from_array(array))

    scale = weight if weight is not None else filled(1.0)
    shift = bias if bias is not None else filled(0.0)
    y, *_ = op.BatchNormalization(
        x, scale, shift, filled(0.0), filled(1.0), epsilon=eps, training_mode=1
    )
    return y
