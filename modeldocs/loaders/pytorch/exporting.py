"""A module as ONNX: `torch.export`, then torch's exporter with translations of our own."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.pytorch.building import sample_inputs

if TYPE_CHECKING:
    import torch


def export(
    request: LoadRequest, module: torch.nn.Module, inputs: dict[str, tuple[int, ...]]
) -> torch.export.ExportedProgram:
    """Trace the module on inputs of the given shapes.

    Raises:
        ModeldocsError: it cannot be traced, with the port's own line.
    """
    import torch

    args, kwargs = sample_inputs(inputs, request.dtypes)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exported = torch.export.export(module, args, kwargs, strict=False)
    except BaseException as error:
        raise callables.failure(request, error, "tracing it with torch.export") from None
    _keep_whole(exported)
    return exported


def _keep_whole(exported: torch.export.ExportedProgram) -> None:
    """Put operators of ours where the exporter would leave no trace of what was there."""
    import torch

    own = _own_operators()
    aten = torch.ops.aten
    dropouts = (aten.dropout, aten.feature_dropout, aten.alpha_dropout, aten.feature_alpha_dropout)
    pools = (aten.adaptive_avg_pool1d, aten.adaptive_avg_pool2d, aten.adaptive_avg_pool3d)
    for node in exported.graph.nodes:
        if getattr(node.target, "overloadpacket", None) in dropouts:
            node.target, node.args = own["dropout"], (node.args[0], float(node.args[1]))
        elif getattr(node.target, "overloadpacket", None) in pools and _is_global(node):
            node.target, node.args = own["global_average_pool"], (node.args[0],)
    exported.graph_module.recompile()


def _is_global(pool: torch.fx.Node) -> bool:
    """Whether a pool of a batch leaves one element of each channel."""
    source, size = pool.args[0].meta["val"], pool.args[1]
    return len(size) == source.ndim - 2 and all(int(extent) == 1 for extent in size)


def _own_operators() -> dict[str, Any]:
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


def _translations() -> dict[Any, Any]:
    """ONNX for our own operators, and for those that the exporter would spell otherwise.

    A convolution without bias stays one, and `padding="same"` stays a strategy.
    """
    import torch

    own = _own_operators()
    table: dict[Any, Any] = {
        own["dropout"]: _dropout,
        own["global_average_pool"]: _global_average_pool,
    }
    for packet in (torch.ops.aten.conv1d, torch.ops.aten.conv2d, torch.ops.aten.conv3d):
        table[packet.default] = table[packet.padding] = _convolution
    return table


def _dropout(x: Any, p: float) -> Any:
    from onnxscript import opset20 as op

    made: Any = op
    kept, _ = made.Dropout(x, made.Constant(value_float=p))
    return kept


def _global_average_pool(x: Any) -> Any:
    from onnxscript import opset20 as op

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
    from onnxscript import opset20

    op: Any = opset20
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


def to_onnx(request: LoadRequest, exported: torch.export.ExportedProgram) -> ir.Model:
    """The traced module as ONNX, unoptimised.

    Raises:
        ModeldocsError: an operator in it has no translation.
    """
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                exported,
                dynamo=True,
                optimize=False,
                verbose=False,
                custom_translation_table=_translations(),
            )
    except BaseException as error:
        raise callables.failure(request, error, "exporting it to ONNX") from None
    if program is None:
        raise ModeldocsError("torch.onnx.export returned nothing", file=request.path)
    model: ir.Model = program.model
    return model
