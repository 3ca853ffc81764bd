"""What Keras leaves vague when it is called with symbolic tensors, said plainly.

Layers whose `call` is a loop are said with operations instead; sizes that a layer's own shape
inference leaves open are filled in.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from modeldocs.loaders.keras import framework


def of(layer: Any) -> Callable[..., Any] | None:
    """What to call in place of a layer's own `call`; None where that will do."""
    kind = type(layer)
    made = _REWRITTEN.get(kind.__name__) if kind.__module__.startswith("keras.") else None
    return functools.partial(made, layer) if made is not None else None


def _time_distributed(wrapper: Any, inputs: Any, training: Any = None, mask: Any = None) -> Any:
    """The layer on all time steps at once: they are one more part of the batch."""
    del training, mask
    ops = framework.imported().ops
    batch, steps, *rest = inputs.shape
    both = batch * steps if batch is not None and steps is not None else -1
    made = wrapper.layer(ops.reshape(inputs, (both, *rest)))
    return ops.reshape(made, (-1 if batch is None else batch, steps or -1, *made.shape[1:]))


_REWRITTEN: dict[str, Callable[..., Any]] = {"TimeDistributed": _time_distributed}


def sharpen(layer: Any, source: Any, output: Any) -> None:
    """Fill in the sizes that an EinsumDense takes from its input, which it leaves open."""
    if type(layer).__name__ != "EinsumDense" or None not in output.shape:
        return
    sources, out = layer.equation.replace(" ", "").split("->")
    left = sources.split(",")[0]
    if len(left) != len(source.shape) or len(out) != len(output.shape) or "." in left:
        return
    sizes = dict(zip(left, source.shape, strict=True))
    known = zip(out, output.shape, strict=True)
    output._shape = tuple(sizes.get(a) if size is None else size for a, size in known)
