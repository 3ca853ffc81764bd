"""Scores of moderate size before a softmax: where one is 1 and the others 0, nothing shows."""

from __future__ import annotations

from typing import Final

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.reference import Arrays
from modeldocs.normal import values
from modeldocs.normal.data_movement import tracing
from modeldocs.numeric.execution import runtime

DEVIATION: Final = 2.0
"""The standard deviation that scores get."""

_SOFTMAX: Final = ("Softmax", "LogSoftmax")
_WEIGHTED: Final = ("Conv", "Gemm", "MatMul")


def moderate(model: ir.Model, parameters: Arrays, inputs: Arrays) -> None:
    """Scale the parameters of the last layer before each softmax at the end of a network, in place,
    so that its scores have the standard deviation `DEVIATION`.
    """
    for output in model.graph.outputs:
        softmax = tracing.trace(output).root.producer()
        if not values.is_operator(softmax, *_SOFTMAX) or softmax is None:
            continue
        scores = softmax.inputs[0]
        assert scores is not None
        own = _last_parameters(scores)
        if not own or not set(own) <= set(parameters):
            continue
        name = str(scores.name)
        computed = runtime.run(model.clone(), parameters | inputs, [name])[name]
        factor = DEVIATION / max(float(np.std(computed)), 1e-6)
        for parameter in own:
            parameters[parameter] = (parameters[parameter] * factor).astype(
                parameters[parameter].dtype
            )


def _last_parameters(scores: ir.Value) -> list[str]:
    """The parameters of the layer that computes scores, read by that layer alone; none where the
    layer is not linear.
    """
    names: list[str] = []
    value = scores
    while (node := tracing.trace(value).root.producer()) is not None:
        roots = [(one, tracing.trace(one).root) for one in node.inputs if one is not None]
        own = [root for _, root in roots if values.is_parameter(root)]
        data = [one for one, root in roots if root.producer() is not None]
        is_bias = values.is_operator(node, "Add") and bool(own)
        if len(data) != 1 or not (is_bias or values.is_operator(node, *_WEIGHTED)):
            return []
        if any(len(root.uses()) > 1 for root in own):
            return []
        names += [str(root.name) for root in own]
        if not is_bias:
            return names
        value = data[0]
    return []
