"""Layers whose symbolic call is vague: loops replaced by operations, open sizes filled in."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from modeldocs.loaders.keras import framework


def of(layer: Any) -> Callable[..., Any] | None:
    """The function to call in place of a layer's own `call`, if any."""
    kind = type(layer)
    function = _FUNCTIONS.get(kind.__name__) if kind.__module__.startswith("keras.") else None
    return functools.partial(function, layer) if function is not None else None


def _time_distributed(wrapper: Any, inputs: Any, training: Any = None, mask: Any = None) -> Any:
    """The layer on all time steps at once, as part of the batch."""
    del training, mask
    ops = framework.imported().ops
    batch, steps, *rest = inputs.shape
    merged = batch * steps if batch is not None and steps is not None else -1
    outputs = wrapper.layer(ops.reshape(inputs, (merged, *rest)))
    return ops.reshape(outputs, (-1 if batch is None else batch, steps or -1, *outputs.shape[1:]))


_FUNCTIONS: dict[str, Callable[..., Any]] = {"TimeDistributed": _time_distributed}


def fill_in_sizes(layer: Any, input_tensor: Any, output: Any) -> None:
    """Fill in the sizes of an EinsumDense's output that follow from its input."""
    if type(layer).__name__ != "EinsumDense" or None not in output.shape:
        return
    sources, out = layer.equation.replace(" ", "").split("->")
    letters = sources.split(",")[0]
    if len(letters) != len(input_tensor.shape) or len(out) != len(output.shape) or "." in letters:
        return
    sizes = dict(zip(letters, input_tensor.shape, strict=True))
    axes = zip(out, output.shape, strict=True)
    output._shape = tuple(sizes.get(a) if size is None else size for a, size in axes)
