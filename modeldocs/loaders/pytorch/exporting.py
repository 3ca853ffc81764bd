"""A module as ONNX: `torch.export`, then torch's exporter with translations of our own."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from typing import TYPE_CHECKING

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.pytorch import refusals, translations
from modeldocs.loaders.pytorch.inputs import Tensors, arguments

if TYPE_CHECKING:
    import torch


def export(
    request: LoadRequest, module: torch.nn.Module, inputs: Tensors
) -> torch.export.ExportedProgram:
    """Trace the module on inputs by name of the argument.

    Raises:
        ModeldocsError: it cannot be traced, with the port's own line.
    """
    import torch

    args, kwargs = arguments(inputs)
    graphs = contextlib.redirect_stderr(io.StringIO())  # where it prints what it had traced
    try:
        with warnings.catch_warnings(), graphs:
            warnings.simplefilter("ignore")
            return torch.export.export(module, args, kwargs, strict=False)
    except BaseException as error:
        raise refusals.untraced(request, error) from None


def to_onnx(
    request: LoadRequest, exported: torch.export.ExportedProgram
) -> tuple[ir.Model, torch.export.ExportedProgram]:
    """The traced module as ONNX, unoptimised, and the program that each of its values is told by.

    Raises:
        ModeldocsError: an operator in it has no translation.
    """
    import torch

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    _keep_whole(exported)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                exported,
                dynamo=True,
                optimize=False,
                verbose=False,
                opset_version=translations.OPSET,
                custom_translation_table=translations.table(),
            )
    except BaseException as error:
        raise refusals.untranslated(request, error) from None
    if program is None or program.exported_program is None:
        raise ModeldocsError("torch.onnx.export returned nothing", file=request.source)
    model: ir.Model = program.model
    _drop_unread_outputs(model)
    return model, program.exported_program


def _keep_whole(exported: torch.export.ExportedProgram) -> None:
    """Put operators of ours where the exporter would leave no trace of what was there."""
    import torch

    own = translations.own_operators()
    aten = torch.ops.aten
    dropouts = (aten.dropout, aten.feature_dropout, aten.alpha_dropout, aten.feature_alpha_dropout)
    pools = (aten.adaptive_avg_pool1d, aten.adaptive_avg_pool2d, aten.adaptive_avg_pool3d)
    for node in list(exported.graph.nodes):
        packet = getattr(node.target, "overloadpacket", None)
        if packet in dropouts:
            node.target, node.args = own["dropout"], (node.args[0], float(node.args[1]))
        elif packet in pools and _is_global(node):
            node.target, node.args = own["global_average_pool"], (node.args[0],)
        elif packet is aten.scaled_dot_product_attention:
            _lay_out(exported.graph, node)
    exported.graph_module.recompile()


def _lay_out(graph: torch.fx.Graph, attention: torch.fx.Node) -> None:
    """Copy what attention gives: its kernels lay it out in ways that later views do not expect."""
    import torch

    with graph.inserting_after(attention):
        copied = graph.call_function(
            torch.ops.aten.clone.default,
            (attention,),
            {"memory_format": torch.contiguous_format},
        )
    copied.meta = dict(attention.meta)
    attention.replace_all_uses_with(copied, delete_user_cb=lambda user: user is not copied)


def _is_global(pool: torch.fx.Node) -> bool:
    """Whether a pool of a batch leaves one element of each channel."""
    source, size = pool.args[0].meta["val"], pool.args[1]
    return len(size) == source.ndim - 2 and all(int(extent) == 1 for extent in size)


def _drop_unread_outputs(model: ir.Model) -> None:
    """Attention without the three outputs beside its own that nothing reads."""
    for node in model.graph:
        if node.op_type == "Attention" and node.domain == "":
            read = [i for i, v in enumerate(node.outputs) if v.uses() or v.is_graph_output()]
            node.resize_outputs(max(read, default=0) + 1)
