"""What an operator's settings tell of its output where not all it reads is known."""

from __future__ import annotations

from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet.operation import Operation


def read(op: Operation) -> Dims | None:
    """What is known of the shape that it reads first; None where not even its rank is."""
    given = op.known()
    if not given:
        return (None,)
    return None if given[0].shape is None else shape_of(given[0])


def of(op: Operation) -> Dims | None:
    """What is known of its output; None where not even its rank is.

    A layer keeps the batch. Of most others no more than the number of dimensions is known.
    """
    shape, kind = read(op), op.source.op
    batch = shape[0] if shape else op.batch
    if kind == "FullyConnected":
        units = op.settings.integer("num_hidden", least=1)
        if op.settings.flag("flatten", default=True):
            return (batch, units)
        return None if shape is None else (*shape[:-1], units)
    if kind in ("Convolution", "Deconvolution") and _channels_first(op):
        kernel = op.settings.sizes("kernel")
        return (batch, op.settings.integer("num_filter", least=1), *[None] * len(kernel))
    if kind == "Embedding":
        width = op.settings.integer("output_dim", least=1)
        return None if shape is None else (*shape, width)
    if kind == "Pooling" and _channels_first(op) and shape is not None:
        return (*shape[:2], *[None] * (len(shape) - 2))
    return None if shape is None else (*shape[:1], *[None] * (len(shape) - 1))


def _channels_first(op: Operation) -> bool:
    return op.settings.text("layout", "NC").startswith("NC")
