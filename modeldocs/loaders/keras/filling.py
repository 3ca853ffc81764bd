"""Seeded values for every weight of a model, in Keras' own layout."""

from __future__ import annotations

import math
from typing import Any

from modeldocs.loaders import seeding

_KINDS: dict[str, seeding.Kind] = {
    "gamma": "scale",
    "scale": "scale",
    "beta": "bias",
    "bias": "bias",
    "moving_mean": "mean",
    "mean": "mean",
    "moving_variance": "var",
    "variance": "var",
    "embeddings": "embedding",
    "reverse_embeddings": "embedding",
    "alpha": "slope",
}


def fill(model: Any, seed: int) -> None:
    """Draw a value for each weight, by its path."""
    for layer in model._flatten_layers():
        for variable in [*layer._trainable_variables, *layer._non_trainable_variables]:
            if "float" in str(variable.dtype):
                variable.assign(_drawn(seed, layer, variable))
        if type(layer).__name__ == "Normalization" and hasattr(layer, "adapt_mean"):
            layer.finalize_state()  # what it computes with is derived from its weights


def _drawn(seed: int, layer: Any, variable: Any) -> Any:
    shape = tuple(variable.shape)
    kind = _KINDS.get(variable.name, "weight" if len(shape) > 1 else "bias")
    return seeding.draw(seed, variable.path, shape, kind, _fan_in(layer, variable.name, shape))


def _fan_in(layer: Any, name: str, shape: tuple[int, ...]) -> int:
    """How many products are summed in one element of what the layer gives."""
    kind = type(layer).__name__
    if "depthwise" in name or kind.startswith("DepthwiseConv"):
        return math.prod(shape[:-2])
    if kind.endswith("Transpose") and len(shape) > 2:
        window = math.prod((*shape[:-2], shape[-1]))
        return max(window // int(math.prod(layer.strides)), 1)
    if kind == "EinsumDense" and name == "kernel":
        sources, out = layer.equation.replace(" ", "").split("->")
        axes = sources.split(",")[1]
        return math.prod(n for axis, n in zip(axes, shape, strict=True) if axis not in out)
    return math.prod(shape[:-1])
