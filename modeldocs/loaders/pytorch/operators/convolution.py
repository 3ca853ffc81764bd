"""Emitter of convolutions."""

from __future__ import annotations

from typing import Any


def convolution(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = (1,),
    padding: Any = (0,),
    dilation: Any = (1,),
    groups: int = 1,
) -> Any:
    """Conv without a bias where there is none, and with `auto_pad` where `padding` is a strategy.

    An input without a batch axis gets one of size 1.
    """
    from onnxscript import opset23

    op: Any = opset23
    rank = len(weight.shape) - 2

    def per_axis(values: Any) -> list[int]:
        return list(values) * (rank if len(values) == 1 else 1)

    pads: dict[str, Any] = (
        {"auto_pad": "SAME_UPPER" if padding == "same" else "VALID"}
        if isinstance(padding, str)
        else {"pads": per_axis(padding) * 2}
    )
    is_batched = len(x.shape) == rank + 2
    batch = x if is_batched else op.Unsqueeze(x, op.Constant(value_ints=[0]))
    operands = (batch, weight) if bias is None else (batch, weight, bias)
    y = op.Conv(
        *operands, strides=per_axis(stride), dilations=per_axis(dilation), group=groups, **pads
    )
    return y if is_batched else op.Squeeze(y, op.Constant(value_ints=[0]))
