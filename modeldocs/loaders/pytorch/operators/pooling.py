"""Emitters of dropout and global average pooling."""

from __future__ import annotations

from typing import Any

import onnx


def dropout(x: Any, p: float, train: bool) -> Any:
    """Dropout, which inference leaves out unless `train`."""
    from onnxscript import opset23

    op: Any = opset23
    ratio = op.Constant(value_float=p)
    mode = [op.Constant(value=onnx.helper.make_tensor("train", 9, (), [True]))] if train else []
    y, _ = op.Dropout(x, ratio, *mode)
    return y


def global_average_pool(x: Any) -> Any:
    """GlobalAveragePool: adaptive pooling to one element of each channel."""
    from onnxscript import opset23

    return opset23.GlobalAveragePool(x)
