"""ONNX emitters of our own for operators that torch's exporter would lose or write otherwise.

`own_operators` are custom torch operators that stand in a traced program for what the exporter
would otherwise leave no trace of.
"""

from __future__ import annotations

from typing import Any

from modeldocs.loaders.pytorch.operators import (
    attention,
    convolution,
    normalization,
    pooling,
    recurrent,
    splitting,
    squeezing,
    stacking,
)


def own_operators() -> dict[str, Any]:
    """The custom operators by name, registered with torch on the first call."""
    import torch

    if not hasattr(torch.ops.modeldocs, "dropout"):
        torch.library.define("modeldocs::dropout", "(Tensor x, float p, bool train) -> Tensor")
        torch.library.define("modeldocs::global_average_pool", "(Tensor x) -> Tensor")
        torch.library.define(
            "modeldocs::batch_statistics",
            "(Tensor x, Tensor? weight, Tensor? bias, float eps) -> Tensor",
        )
        torch.library.define("modeldocs::reshape", "(Tensor x, SymInt[] size) -> Tensor")
        torch.library.impl("modeldocs::dropout", "CompositeExplicitAutograd")(
            lambda x, _p, _train: x.clone()
        )
        torch.library.impl("modeldocs::global_average_pool", "CompositeExplicitAutograd")(
            lambda x: x.mean(tuple(range(2, x.ndim)), keepdim=True)
        )
        torch.library.impl("modeldocs::batch_statistics", "CompositeExplicitAutograd")(
            lambda x, weight, bias, eps: torch.nn.functional.batch_norm(
                x, None, None, weight, bias, training=True, eps=eps
            )
        )
        torch.library.impl("modeldocs::reshape", "CompositeExplicitAutograd")(
            lambda x, size: x.reshape(size).clone()
        )
    return {
        "batch_statistics": torch.ops.modeldocs.batch_statistics.default,
        "dropout": torch.ops.modeldocs.dropout.default,
        "global_average_pool": torch.ops.modeldocs.global_average_pool.default,
        "reshape": torch.ops.modeldocs.reshape.default,
    }


def emitters() -> dict[Any, Any]:
    """Emitters by torch operator: functions of the operator's arguments that write ONNX."""
    import torch
    from onnxscript.function_libs.torch_lib.ops.core import aten_view

    own, aten = own_operators(), torch.ops.aten
    table: dict[Any, Any] = {
        own["batch_statistics"]: normalization.batch_statistics,
        own["dropout"]: pooling.dropout,
        own["global_average_pool"]: pooling.global_average_pool,
        own["reshape"]: aten_view,
        aten.scaled_dot_product_attention.default: attention.scaled_dot_product_attention,
        aten.lstm.input: recurrent.emitter("LSTM"),
        aten.gru.input: recurrent.emitter("GRU", linear_before_reset=1),
        aten.rnn_tanh.input: recurrent.emitter("RNN", "Tanh"),
        aten.rnn_relu.input: recurrent.emitter("RNN", "Relu"),
        aten.split.Tensor: splitting.split,
        aten.split_with_sizes.default: splitting.split,
        aten.atleast_1d.Sequence: stacking.at_least(1),
        aten.atleast_2d.Sequence: stacking.at_least(2),
        aten.atleast_3d.Sequence: stacking.at_least(3),
    }
    for overload in ("default", "dim", "dims"):
        table[getattr(aten.squeeze, overload)] = squeezing.squeeze
    for packet in (aten.conv1d, aten.conv2d, aten.conv3d):
        table[packet.default] = table[packet.padding] = convolution.convolution
    return table
