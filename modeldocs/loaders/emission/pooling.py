"""Pooling over the spatial axes of tensors whose channels are at axis 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.windows import WindowSpan, averaged, pooled


def pool(
    layer: NodeBuilder,
    method: str,
    value: ir.Value,
    spans: Sequence[WindowSpan],
    *,
    counts_pads: bool = False,
    shapes: Sequence[Sequence[Dim] | None] = (None,),
    padding: str | None = None,
    **attributes: Any,
) -> list[ir.Value] | None:
    """MaxPool, AveragePool or LpPool with a window along each spatial axis.

    None where ONNX cannot express it: a window lies outside of the elements, or an average
    divides by a number that AveragePool does not divide by.

    Args:
        layer: the layer that the node belongs to.
        method: ONNX's operator.
        value: a tensor of batch × channels × spatial sizes.
        spans: the windows along each spatial axis.
        counts_pads: whether an average counts pads as elements of 0.
        shapes: of the outputs, None where they are inferred; two where the indices of the maxima
            are an output, too.
        padding: how the framework calls its rule for the number of windows.
        attributes: others of the operator, such as `p` of LpPool.
    """
    if any(span.empty for span in spans):
        return None
    averages = method == "AveragePool"
    windows = averaged(spans, counts=counts_pads) if averages else pooled(spans)
    if windows is None:
        return None
    return layer.node_of_several(
        method,
        [value],
        len(shapes),
        shapes=None if None in shapes else shapes,
        padding=padding,
        **windows,
        **attributes,
    )
