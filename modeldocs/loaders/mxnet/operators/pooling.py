"""Emitters of MXNet's pooling layers, by each of its three conventions for the output size."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.dims import Dims, sizes
from modeldocs.loaders.emission import pooling, resampling
from modeldocs.loaders.emission.layouts import inverse, permuted
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.emission.windows import Window, WindowSpan
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits
from modeldocs.loaders.mxnet.operators.spatial import channels_first, spatial_rank, window

MAX_WINDOW = 2**20
"""Stands for an unknown size: wide enough for any window."""

_GLOBAL = {"max": "GlobalMaxPool", "avg": "GlobalAveragePool"}


class Same(WindowSpan):
    """Windows of the convention `same`: one for each stride, the last of which may be cut off."""

    __slots__ = ()

    @property
    def count(self) -> int:
        """Number of windows."""
        return -(-self.size // self.stride)


@emits("Pooling")
def pool(op: MxnetOperation) -> Outputs:
    """MaxPool, AveragePool, LpPool or a global pool; end pads make up for rounding up."""
    rank = spatial_rank(op)
    order = channels_first(op, rank)
    method = op.settings.choice("pool_type", "max", "max", "avg", "sum", "lp")
    value, shape = op.transpose(op.input(), order), permuted(op.shape(), order)
    if op.settings.flag("global_pool", default=False):
        output = _global(op, value, len(shape), method)
    else:
        output = _windowed(op, value, shape, method)
    return [op.transpose(output, inverse(order))]


def _global(op: MxnetOperation, value: ir.Value, rank: int, method: str) -> ir.Value:
    if method in _GLOBAL:
        return op.node(_GLOBAL[method], [value])
    if method == "lp":
        return op.node("GlobalLpPool", [value], p=op.settings.integer("p_value", 2))
    return op.reduce("ReduceSum", value, range(2, rank), keeps_axes=True)


def _windowed(op: MxnetOperation, value: ir.Value, shape: Dims, method: str) -> ir.Value:
    """The pool of a channels-first value; MXNet's own operator where ONNX's differs."""
    view = window(op, len(shape) - 2)
    spans = _spans(op, shape[2:], view)
    if not all(span.fits for span in spans):
        raise op.error(
            f"has a kernel of {view.kernel} padded by {view.pad} over "
            f"{tuple(span.size for span in spans)}",
            fix="check the input's shape, the kernel, and that the pad is below it",
        )
    counts = [
        max(span.count, 0) if isinstance(size, int) else None
        for span, size in zip(spans, shape[2:], strict=True)
    ]
    output_shape = (*shape[:2], *counts)
    pools = None
    if method in ("max", "avg") or not any(span.overhang for span in spans):
        pools = pooling.pool(
            op,
            {"max": "MaxPool", "lp": "LpPool"}.get(method, "AveragePool"),
            value,
            spans,
            counts_pads=_counts_pads(op, method, spans),
            padding=op.settings.text("pooling_convention", "valid"),
            shapes=[output_shape if None in counts else None],
            p=op.settings.integer("p_value", 2) if method == "lp" else None,
        )
    if pools is None:
        return op.opaque([output_shape], [value])[0]
    if method != "sum":
        return pools[0]
    return op.node("Mul", [pools[0], op.scalar(math.prod(view.kernel), value, "area")])


def _spans(op: MxnetOperation, spatial: Dims, view: Window) -> list[WindowSpan]:
    convention = op.settings.choice("pooling_convention", "valid", "valid", "full", "same")
    if convention == "valid":
        known = tuple(size if isinstance(size, int) else MAX_WINDOW for size in spatial)
    else:
        known = sizes(spatial)
    kind = Same if convention == "same" else WindowSpan
    axes = zip(known, view.kernel, view.stride, view.pad, strict=True)
    return [kind(*axis, ceil=convention == "full") for axis in axes]


def _counts_pads(op: MxnetOperation, method: str, spans: Sequence[WindowSpan]) -> bool:
    """Whether an average divides by the pads inside its window as well; a sum must."""
    if method != "avg":
        return method == "sum"
    padded = any(span.pad for span in spans)
    return padded and op.settings.flag("count_include_pad", default=True)


@emits("AdaptiveAvgPooling2D")
def adaptive(op: MxnetOperation) -> Outputs:
    """AveragePool to a size, where its windows are all of one size."""
    shape = op.image()
    target = op.settings.sizes("output_size", (1,))
    target = target * 2 if len(target) == 1 else target
    if len(target) != 2 or min(target) < 1:
        raise op.error(f"has the output_size {target[:9]}", fix="give height and width")
    output = resampling.pooled_to(op, op.input(), target, "AveragePool")
    return [output] if output is not None else op.opaque([(*shape[:2], *target)])
