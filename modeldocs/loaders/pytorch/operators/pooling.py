"""Emitters of dropout and global average pooling."""

from __future__ import annotations

from typing import Any


def dropout(x: Any, p: float) -> Any:
    """Dropout, which inference leaves out."""
    from onnxscript import opset23

    op: Any = opset23
    y, _ = op.Dropout(x, op.Constant(value_float=p))
    return y


def global_average_pool(x: Any) -> Any:
    """GlobalAveragePool: adaptive pooling to one element of each channel."""
    from onnxscript import opset23

    return opset23.GlobalAveragePool(x)
