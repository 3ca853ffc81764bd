"""From a traced program to ONNX: torch's exporter with emitters of our own."""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.ir.operators import OPSET
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.pytorch import (
    complex_numbers,
    errors,
    index_types,
    names,
    operators,
    provenance,
    torchlib,
    views,
    weights,
)
from modeldocs.loaders.pytorch.program import ExportedModule

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class AssembledExport:
    """The ONNX model, and the program whose node names its values have."""

    model: ir.Model
    exported: torch.export.ExportedProgram


def assemble(request: LoadRequest, program: ExportedModule) -> AssembledExport:
    """A traced program as ONNX, with names, provenance and marked parameters.

    Raises:
        ModeldocsError: an operator in it has no emitter.
    """
    model, exported = _to_onnx(request, program.exported)
    names.name_graph(model, request.name)
    names.make_unique(model)
    names.name_outputs(model, program.exported)
    provenance.attach(model, request, program.module if program.has_modules else None)
    weights.mark_parameters(model, program.module)
    origin.add_notes(model, [*program.notes(), *weights.unread_notes(model, program.module)])
    return AssembledExport(model, exported)


def _to_onnx(
    request: LoadRequest, exported: torch.export.ExportedProgram
) -> tuple[ir.Model, torch.export.ExportedProgram]:
    """The program as unoptimised ONNX, and the decomposed program that its values are named after.

    Raises:
        ModeldocsError: an operator in it has no emitter.
    """
    import torch

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    _insert_own_operators(exported)
    complex_numbers.move_parts(exported)
    views.free_of_strides(request, exported)
    try:
        with warnings.catch_warnings(), torchlib.collected_once(), torchlib.asked_once():
            warnings.simplefilter("ignore")
            onnx_program = torch.onnx.export(
                exported,
                dynamo=True,
                optimize=False,
                verbose=False,
                opset_version=OPSET,
                custom_translation_table=operators.emitters(),
            )
    except BaseException as error:
        raise errors.not_emitted(request, error) from None
    if onnx_program is None or onnx_program.exported_program is None:
        raise ModeldocsError("torch.onnx.export returned nothing", file=request.source)
    model: ir.Model = onnx_program.model
    _drop_unread_outputs(model)
    index_types.widen(model)
    return model, onnx_program.exported_program


_TRAINING, _EPSILON = 5, 7
"""Arguments of torch's batch_norm, by place."""


def _insert_own_operators(exported: torch.export.ExportedProgram) -> None:
    """Replace operators that the exporter would remove or decompose by operators of our own."""
    import torch

    own = operators.own_operators()
    aten = torch.ops.aten
    dropouts = (aten.dropout, aten.feature_dropout, aten.alpha_dropout, aten.feature_alpha_dropout)
    pools = (aten.adaptive_avg_pool1d, aten.adaptive_avg_pool2d, aten.adaptive_avg_pool3d)
    for node in list(exported.graph.nodes):
        packet = getattr(node.target, "overloadpacket", None)
        if packet in dropouts:
            x, ratio, drops = node.args
            node.target, node.args = own["dropout"], (x, float(ratio), bool(drops))
        elif packet is aten.batch_norm and node.args[_TRAINING]:
            x, weight, bias = node.args[:3]
            node.target, node.args = own["batch_statistics"], (x, weight, bias, node.args[_EPSILON])
        elif packet in pools and _is_global(node):
            node.target, node.args = own["global_average_pool"], (node.args[0],)
        elif node.op == "output":  # the exporter takes no numbers and texts beside tensors
            (returned,) = node.args
            node.args = (tuple(v if isinstance(v, torch.fx.Node) else None for v in returned),)
    exported.graph_module.recompile()


def _is_global(pool: torch.fx.Node) -> bool:
    """Whether a pooling of a batch leaves one element of each channel."""
    source, size = pool.args[0].meta["val"], pool.args[1]
    return len(size) == source.ndim - 2 and all(int(extent) == 1 for extent in size)


def _drop_unread_outputs(model: ir.Model) -> None:
    """Drop the outputs of Attention beside the first that nothing reads."""
    for node in model.graph:
        if node.op_type == "Attention" and node.domain == "":
            read = [i for i, v in enumerate(node.outputs) if v.uses() or v.is_graph_output()]
            node.resize_outputs(max(read, default=0) + 1)
