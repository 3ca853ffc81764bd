"""Models run in onnxruntime, without its optimisations, and outputs compared."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime

Arrays = dict[str, np.ndarray]

onnxruntime.set_default_logger_severity(4)


def run(model: onnx.ModelProto, inputs: Arrays) -> list[np.ndarray] | None:
    """The outputs in order; None where onnxruntime cannot run it, or an output is no tensor."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    options.inter_op_num_threads = 1
    try:
        data = model.SerializeToString()
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        wanted = {value.name for value in session.get_inputs()}
        found = session.run(None, {n: a for n, a in inputs.items() if n in wanted})
    except Exception:
        return None
    return found if all(isinstance(one, np.ndarray) for one in found) else None


def same(ours: list[np.ndarray], theirs: list[np.ndarray], tolerance: float = 1e-4) -> bool:
    """Whether two runs gave arrays of the same shapes, types and numbers."""
    return len(ours) == len(theirs) and all(
        a.shape == b.shape and a.dtype == b.dtype and _close(a, b, tolerance)
        for a, b in zip(ours, theirs, strict=True)
    )


def _close(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    if a.dtype.kind not in "fc" or a.dtype.itemsize < 2:
        return bool(np.array_equal(a, b))
    if a.dtype.itemsize == 2:
        tolerance = max(tolerance, 1e-2)
    wide = np.float64 if a.dtype.kind == "f" else np.complex128
    a, b = a.astype(wide), b.astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    size = float(np.abs(a[finite]).max()) if finite.any() else 0.0
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= tolerance * max(size, 1e-6)
    return bool((near | (a == b) | (np.isnan(a) & np.isnan(b))).all())
