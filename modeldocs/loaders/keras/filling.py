"""Designed values in every weight of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.reference import Designed


def fill(model: Any, parameters: Mapping[int, ir.Value], designed: Designed) -> None:
    """Set each weight; `parameters` are the graph's by the id of their variable."""
    for layer in model._flatten_layers():
        for variable in [*layer._trainable_variables, *layer._non_trainable_variables]:
            held = parameters.get(id(variable))
            name = str(held.name) if held is not None else variable.path
            if held is not None or "float" in str(variable.dtype):
                variable.assign(designed.parameter(name, tuple(variable.shape)))
        if type(layer).__name__ == "Normalization" and hasattr(layer, "adapt_mean"):
            layer.finalize_state()  # what it computes with is derived from its weights
