"""Translations of our own: operators that torch's exporter would lose, or spell otherwise."""

from __future__ import annotations

import itertools
from typing import Any

OPSET = 23
"""The first with Attention and RMSNormalization."""


def own_operators() -> dict[str, Any]:
    """Operators that stand in a traced graph for what the exporter would leave no trace of."""
    import torch

    if not hasattr(torch.ops.modeldocs, "dropout"):
        torch.library.define("modeldocs::dropout", "(Tensor x, float p) -> Tensor")
        torch.library.define("modeldocs::global_average_pool", "(Tensor x) -> Tensor")
        torch.library.impl("modeldocs::dropout", "CompositeExplicitAutograd")(
            lambda x, _p: x.clone()
        )
        torch.library.impl("modeldocs::global_average_pool", "CompositeExplicitAutograd")(
            lambda x: x.mean(tuple(range(2, x.ndim)), keepdim=True)
        )
    return {
        "dropout": torch.ops.modeldocs.dropout.default,
        "global_average_pool": torch.ops.modeldocs.global_average_pool.default,
    }


def table() -> dict[Any, Any]:
    """ONNX for our own operators, and for those that the exporter would spell otherwise.

    A convolution without bias stays one, and `padding="same"` stays a strategy.
    """
    import torch

    own = own_operators()
    made: dict[Any, Any] = {
        own["dropout"]: _dropout,
        own["global_average_pool"]: _global_average_pool,
    }
    for packet in (torch.ops.aten.conv1d, torch.ops.aten.conv2d, torch.ops.aten.conv3d):
        made[packet.default] = made[packet.padding] = _convolution
    made[torch.ops.aten.scaled_dot_product_attention.default] = _attention
    made[torch.ops.aten.split.Tensor] = _split
    made[torch.ops.aten.split_with_sizes.default] = _split
    return made


def _dropout(x: Any, p: float) -> Any:
    from onnxscript import opset23 as op

    made: Any = op
    kept, _ = made.Dropout(x, made.Constant(value_float=p))
    return kept


def _global_average_pool(x: Any) -> Any:
    from onnxscript import opset23 as op

    return op.GlobalAveragePool(x)


def _convolution(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = (1,),
    padding: Any = (0,),
    dilation: Any = (1,),
    groups: int = 1,
) -> Any:
    from onnxscript import opset23

    op: Any = opset23
    rank = len(weight.shape) - 2

    def spread(values: Any) -> list[int]:
        return list(values) * (rank if len(values) == 1 else 1)

    pads: dict[str, Any] = (
        {"auto_pad": "SAME_UPPER" if padding == "same" else "VALID"}
        if isinstance(padding, str)
        else {"pads": spread(padding) * 2}
    )
    batched = len(x.shape) == rank + 2
    batch = x if batched else op.Unsqueeze(x, op.Constant(value_ints=[0]))
    operands = (batch, weight) if bias is None else (batch, weight, bias)
    made = op.Conv(
        *operands, strides=spread(stride), dilations=spread(dilation), group=groups, **pads
    )
    return made if batched else op.Squeeze(made, op.Constant(value_ints=[0]))


def _attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,  # noqa: ARG001
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,  # noqa: ARG001
) -> Any:
    """Attention over batch x heads x places x width; what lies before places counts as heads."""
    from onnxscript import opset23

    op: Any = opset23
    rank = len(query.shape)
    if rank > 4 and attn_mask is not None:
        raise NotImplementedError("attention with a mask over more than four axes")
    operands = [query, key, value]
    if rank != 4:
        operands = [_four_axes(op, operand) for operand in operands]
    made, *_ = op.Attention(
        *operands, *([] if attn_mask is None else [attn_mask]), scale=scale, is_causal=is_causal
    )
    if rank == 4:
        return made
    result = [*query.shape[:-1], value.shape[-1]]
    return op.Reshape(made, op.Constant(value_ints=[int(size) for size in result]))


def _four_axes(op: Any, operand: Any) -> Any:
    """A tensor of a known shape as 1 x everything before x places x width."""
    places, width = (int(size) for size in operand.shape[-2:])
    return op.Reshape(operand, op.Constant(value_ints=[1, -1, places, width]))


def _split(x: Any, sizes: Any, dim: int = 0) -> list[Any]:
    """Pieces of a tensor: of equal size where `sizes` is a number, the last as large as is left."""
    from onnxscript import opset23

    op: Any = opset23
    extent = int(x.shape[dim])
    if isinstance(sizes, int):
        sizes = [min(sizes, extent - start) for start in range(0, extent, sizes)]
    if len(set(sizes)) == 1:
        return list(op.Split(x, axis=dim, num_outputs=len(sizes)))
    ends = list(itertools.accumulate(sizes, initial=0))
    axis = op.Constant(value_ints=[dim])
    return [
        op.Slice(x, op.Constant(value_ints=[start]), op.Constant(value_ints=[end]), axis)
        for start, end in itertools.pairwise(ends)
    ]
