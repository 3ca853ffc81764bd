"""Output shapes of operators whose input shapes are known in part."""

from __future__ import annotations

from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission.inference import maybe_shape
from modeldocs.loaders.mxnet.operation import MxnetOperation


def first_input(op: MxnetOperation) -> Dims | None:
    """The shape of the first known operand, None where not even its rank is known."""
    operands = op.known()
    return maybe_shape(operands[0]) if operands else (None,)


def output(op: MxnetOperation) -> Dims | None:
    """The shape of the output, None where not even its rank is known.

    Layers keep the batch; of most other operators no more than the rank is known.
    """
    shape, kind = first_input(op), op.kind
    batch = shape[0] if shape else op.batch
    channels_first = op.settings.text("layout", "NC").startswith("NC")
    if kind == "FullyConnected":
        units = op.settings.integer("num_hidden", least=1)
        if op.settings.flag("flatten", default=True):
            return (batch, units)
        return None if shape is None else (*shape[:-1], units)
    if kind in ("Convolution", "Deconvolution") and channels_first:
        kernel = op.settings.sizes("kernel")
        return (batch, op.settings.integer("num_filter", least=1), *[None] * len(kernel))
    if kind == "Embedding":
        width = op.settings.integer("output_dim", least=1)
        return None if shape is None else (*shape, width)
    if kind == "Pooling" and channels_first and shape is not None:
        return (*shape[:2], *[None] * (len(shape) - 2))
    return None if shape is None else (*shape[:1], *[None] * (len(shape) - 1))
