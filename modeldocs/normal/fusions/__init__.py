"""Idioms: patterns of nodes that one operator computes, each replaced by that operator.

The operator may be newer than the model's operator set, and a `Gemm` may read a tensor of any rank:
`modeldocs.normal.runnable` lowers these again. A new node has the origins of all that it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import onnx_ir as ir

from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.fusions import (
    activation,
    dense_conv,
    einsum,
    lookups,
    lp_norms,
    neutral,
    normalization,
    pooling,
    rectifiers,
    slicing,
    sums,
)

Rewriter = Callable[[ir.Node, GraphBuilder], bool]

REWRITERS: dict[Rewriter, Collection[str]] = {
    neutral.gather_nd: ("GatherND",),
    neutral.identity: neutral.STARTS,
    normalization.affine_batch_normalization: ("BatchNormalization",),
    normalization.affine_layer_normalization: ("LayerNormalization", "RMSNormalization"),
    normalization.local_response_normalization: ("Div",),
    normalization.group_normalization: ("InstanceNormalization", "LayerNormalization"),
    lp_norms.lp_normalization: ("Div", "Mul"),
    einsum.matrix_product: ("Einsum",),
    lookups.selection_product: ("MatMul",),
    lookups.nested_gather: ("Gather",),
    lookups.scaled_rows: ("Mul", "Div", "Add", "Sub", "Neg"),
    slicing.nested_slices: ("Slice",),
    slicing.element: ("Slice",),
    slicing.contiguous_rows: ("Gather",),
    dense_conv.dense: ("MatMul",),
    dense_conv.grouped_convolution: ("Concat",),
    dense_conv.biased_convolution: ("Conv", "ConvTranspose"),
    pooling.global_pool: ("ReduceMean", "ReduceMax"),
    pooling.full_window: ("AveragePool",),
    activation.clip: ("Max", "Min"),
    activation.clipped_relu: ("Min",),
    rectifiers.leaky_relu: ("Where",),
    activation.softplus: ("Log", "Where"),
    activation.log_softmax: ("Log",),
    activation.mish: ("Mul",),
    activation.through_function: ("Erf", "Tanh", "Sigmoid", "Clip", "HardSigmoid"),
}
"""Rewriters in order, with the operators that each starts at: later ones match earlier results."""


TIDIERS: dict[Rewriter, Collection[str]] = {
    sums.flatten: sums.SUMS,
    sums.sort_operands: sums.COMMUTATIVE,
}
"""Rewriters for what is in no idiom: before the others they would break up patterns."""


def recognise(model: ir.Model) -> None:
    """Replace every idiom by its operator."""
    _rewrite(model, REWRITERS)


def tidy(model: ir.Model) -> None:
    """Bring sums and commutative operators that are in no idiom to one form."""
    _rewrite(model, TIDIERS)


def _rewrite(model: ir.Model, table: dict[Rewriter, Collection[str]]) -> None:
    builder = GraphBuilder(model.graph)
    for rewriter, starts in table.items():
        for node in list(model.graph):
            if node.op_type in starts and node.graph is not None:
                rewriter(node, builder)
