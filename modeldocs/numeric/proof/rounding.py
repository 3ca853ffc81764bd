"""The effect of rounding on a network's outputs, which chaotic networks amplify."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.reference import Arrays
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.execution.closeness import Difference, distance

RELATIVE_CHANGE = 1e-6
"""Relative change of each parameter: the size of a few roundings in float32."""


def effect(model: ir.Model, inputs: Arrays, names: Sequence[str]) -> Difference:
    """The largest difference of these values when each parameter changes by `RELATIVE_CHANGE`.

    Raises:
        ModeldocsError: onnxruntime cannot run the model.
    """
    before = runtime.run(model, inputs, names)
    after = runtime.run(model, inputs | _changed_parameters(model), names)
    differences = [distance(before[name], after[name]) for name in before]
    return max(differences, key=Difference.size, default=Difference())


def _changed_parameters(model: ir.Model) -> Arrays:
    changed: Arrays = {}
    for name, value in model.graph.initializers.items():
        tensor = value.const_value
        if origin.parameter_kind(value) is None or tensor is None:
            continue
        array = tensor.numpy()
        if array.dtype in (np.float32, np.float64):
            signs = np.random.default_rng(0).choice(np.array([-1, 1]), array.shape)
            changed[name] = (array * (1 + RELATIVE_CHANGE * signs)).astype(array.dtype)
    return changed
