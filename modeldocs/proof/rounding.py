"""How much rounding grows on its way through a network: some networks are chaotic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.reference import Arrays
from modeldocs.numerics import runtime
from modeldocs.numerics.closeness import Difference, distance

CHANGED = 1e-6
"""Relative change of each parameter: what a few roundings in float32 come to."""


def amplified(model: ir.Model, inputs: Arrays, wanted: Sequence[str]) -> Difference:
    """How far values of a network move when each parameter is changed by `CHANGED`, up or down.

    Raises:
        ModeldocsError: onnxruntime cannot run it.
    """
    before = runtime.run(model, inputs, wanted)
    after = runtime.run(model, inputs | _changed(model), wanted)
    moved = [distance(before[name], after[name]) for name in before]
    return max(moved, key=Difference.size, default=Difference())


def _changed(model: ir.Model) -> Arrays:
    made: Arrays = {}
    for name, value in model.graph.initializers.items():
        tensor = value.const_value
        if origin.parameter_kind(value) is None or tensor is None:
            continue
        array = tensor.numpy()
        if array.dtype in (np.float32, np.float64):
            signs = np.random.default_rng(0).choice(np.array([-1, 1]), array.shape)
            made[name] = (array * (1 + CHANGED * signs)).astype(array.dtype)
    return made
