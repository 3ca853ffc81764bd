"""Decomposed idioms put back together: what a framework spelled in many nodes, as one.

The result may be beyond the model's operator set, and a `Gemm` may take a tensor of any rank:
`modeldocs.normal.runnable` lowers that again. Every rewritten node carries the origins of all that
it replaced.
"""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

from modeldocs.normal.builder import Builder
from modeldocs.normal.idioms import (
    activation,
    einsum,
    leaky,
    lengths,
    linear,
    neutral,
    normalization,
    pooling,
    selecting,
    slicing,
    sums,
)

Recogniser = Callable[[ir.Node, Builder], bool]

RECOGNISERS: dict[Recogniser, tuple[str, ...]] = {
    neutral.gathered: ("GatherND",),
    neutral.unchanged: (*neutral.NEUTRAL, "Pad", "Slice", "Expand", "Tile", "Concat", "Sum"),
    normalization.affine_batch_normalization: ("BatchNormalization",),
    normalization.local_response_normalization: ("Div",),
    normalization.group_normalization: ("InstanceNormalization",),
    lengths.lp_normalization: ("Div", "Mul"),
    einsum.product: ("Einsum",),
    selecting.selected: ("MatMul",),
    selecting.composed: ("Gather",),
    slicing.joined_slices: ("Slice",),
    slicing.element: ("Slice",),
    slicing.looked_up: ("Gather",),
    linear.dense: ("MatMul",),
    linear.grouped_convolution: ("Concat",),
    linear.biased_convolution: ("Conv", "ConvTranspose"),
    pooling.global_pool: ("ReduceMean", "ReduceMax"),
    pooling.whole_window: ("AveragePool",),
    activation.bounded: ("Max", "Min"),
    activation.clipped_relu: ("Min",),
    leaky.leaky: ("Where",),
    activation.softplus: ("Log", "Where"),
    activation.log_softmax: ("Log",),
    activation.mish: ("Mul",),
    activation.spelled: ("Erf", "Tanh", "Sigmoid", "Clip", "HardSigmoid"),
}
"""In order, with the operators that each starts at: later ones are made of earlier ones."""


LAST: dict[Recogniser, tuple[str, ...]] = {
    sums.flat: ("Add", "Sum"),
    sums.commuted: sums.COMMUTATIVE,
}
"""What would take apart an idiom that is not whole yet."""


def recognise(model: ir.Model) -> None:
    """Rewrite every idiom."""
    _rewrite(model, RECOGNISERS)


def tidy(model: ir.Model) -> None:
    """Write what is in no idiom in one way, when all idioms are whole."""
    _rewrite(model, LAST)


def _rewrite(model: ir.Model, table: dict[Recogniser, tuple[str, ...]]) -> None:
    builder = Builder(model.graph)
    for recogniser, operators in table.items():
        for node in list(model.graph):
            if node.op_type in operators and node.graph is not None:
                recogniser(node, builder)
