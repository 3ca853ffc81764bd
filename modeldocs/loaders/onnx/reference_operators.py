"""Operators that ONNX's reference evaluator has wrong, as ONNX specifies them."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun

Array = np.ndarray[Any, Any]


class LRN(OpRun):  # type: ignore[misc]
    """Local response normalization over channels; that of onnx 1.23 and before normalizes as many
    channels as the batch is large.
    """

    def _run(self, x: Array, alpha: float, beta: float, bias: float, size: int) -> tuple[Array]:
        before, after = (size - 1) // 2, size // 2
        other = [(0, 0)] * (x.ndim - 2)
        squares = np.pad(np.square(x), [(0, 0), (before, after), *other])
        windows = np.lib.stride_tricks.sliding_window_view(squares, size, axis=1)
        scale = (bias + alpha / size * windows.sum(axis=-1)) ** beta
        return ((x / scale).astype(x.dtype),)
