"""Pooling, by each of MXNet's three conventions for the number of windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.dims import Dims, sizes
from modeldocs.loaders.emission import resampling
from modeldocs.loaders.emission.layouts import permuted
from modeldocs.loaders.emission.windows import Span, Window, averaged, pooled
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits
from modeldocs.loaders.mxnet.window import Layout, spatial, window

MAX_WINDOW = 2**20

_GLOBAL = {"max": "GlobalMaxPool", "avg": "GlobalAveragePool"}


class Same(Span):
    """As many windows as strides, wherever the last of them ends."""

    __slots__ = ()

    @property
    def count(self) -> int:
        """Number of windows, as if none were cut off."""
        return -(-self.size // self.stride)


@emits("Pooling")
def pooling(op: Operation) -> Outputs:
    """MaxPool, AveragePool, LpPool or their global kin; end pads carry the rounding up."""
    rank = spatial(op)
    layout = Layout(op, rank)
    method = op.settings.choice("pool_type", "max", "max", "avg", "sum", "lp")
    value, shape = layout.first(op.value()), permuted(op.shape(), layout.to_first)
    if op.settings.flag("global_pool", default=False):
        return [layout.restored(_global(op, value, shape, method))]
    view = window(op, rank)
    convention = op.settings.choice("pooling_convention", "valid", "valid", "full", "same")
    kind = Same if convention == "same" else Span
    wide = sizes(shape[2:]) if convention != "valid" else _wide(shape[2:])
    spans = [
        kind(*one, ceil=convention == "full")
        for one in zip(wide, view.kernel, view.stride, view.pad, strict=True)
    ]
    counts = (max(span.count, 0) for span in spans)
    known = (isinstance(dim, int) for dim in shape[2:])
    made = (*shape[:2], *(n if told else None for n, told in zip(counts, known, strict=True)))
    return [layout.restored(_pool(op, value, made, method, spans, view))]


def _wide(dims: Dims) -> tuple[int, ...]:
    """Sizes that windows are told of; one that is not known is wide enough for any window."""
    return tuple(dim if isinstance(dim, int) else MAX_WINDOW for dim in dims)


def _global(op: Operation, value: ir.Value, shape: Sequence[Any], method: str) -> ir.Value:
    if method in _GLOBAL:
        return op.node(_GLOBAL[method], [value])
    if method == "lp":
        return op.node("GlobalLpPool", [value], p=op.settings.integer("p_value", 2))
    axes = op.integers(range(2, len(shape)), "axes")
    return op.node("ReduceSum", [value, axes], keepdims=1)


def _pool(
    op: Operation,
    value: ir.Value,
    shape: Sequence[Any],
    method: str,
    spans: Sequence[Span],
    view: Window,
) -> ir.Value:
    if not all(span.fits for span in spans):
        raise op.error(
            f"has a kernel of {view.kernel} padded by {view.pad} over "
            f"{tuple(span.size for span in spans)}",
            fix="check the input's shape, the kernel, and that the pad is below it",
        )
    if any(span.empty for span in spans):
        return op.opaque([tuple(shape)], [value])[0]
    attributes = pooled(spans)
    if method == "max":
        return _emit(op, "MaxPool", value, shape, attributes)
    if method == "avg":
        return _average(op, value, shape, spans)
    if any(span.overhang for span in spans):
        return op.opaque([tuple(shape)], [value])[0]
    if method == "lp":
        return _emit(
            op, "LpPool", value, shape, {**attributes, "p": op.settings.integer("p_value", 2)}
        )
    mean = _emit(op, "AveragePool", value, shape, {**attributes, "count_include_pad": 1})
    area = op.scalar(math.prod(view.kernel), value, "area")
    return op.node("Mul", [mean, area])


def _average(
    op: Operation, value: ir.Value, shape: Sequence[Any], spans: Sequence[Span]
) -> ir.Value:
    """AveragePool that divides as MXNet does: by the window's part inside the padded elements."""
    padded = any(span.pad for span in spans)
    counts = padded and op.settings.flag("count_include_pad", default=True)
    attributes = averaged(spans, counts=counts)
    if attributes is None:
        return op.opaque([tuple(shape)], [value])[0]
    return _emit(op, "AveragePool", value, shape, attributes)


def _emit(
    op: Operation, kind: str, value: ir.Value, shape: Sequence[Any], attributes: dict[str, Any]
) -> ir.Value:
    convention = op.settings.text("pooling_convention", "valid")
    sized = None in shape[2:]
    return op.node(
        kind, [value], shape=tuple(shape) if sized else None, padding=convention, **attributes
    )


@emits("AdaptiveAvgPooling2D")
def adaptive(op: Operation) -> Outputs:
    """Pooling to a size; AveragePool where the windows are all of one size."""
    shape = op.image()
    wanted = op.settings.sizes("output_size", (1,))
    wanted = wanted * 2 if len(wanted) == 1 else wanted
    if len(wanted) != 2 or min(wanted) < 1:
        raise op.error(f"has the output_size {wanted[:9]}", fix="give height and width")
    made = resampling.pooled_to(op, op.value(), wanted, "AveragePool")
    return [made] if made is not None else op.opaque([(*shape[:2], *wanted)])
