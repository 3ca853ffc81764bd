"""Pooling, by each of MXNet's three conventions for the number of windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits
from modeldocs.loaders.mxnet.shapes import permuted, sizes
from modeldocs.loaders.mxnet.window import Layout, Window, spatial, window

_GLOBAL = {"max": "GlobalMaxPool", "avg": "GlobalAveragePool"}


@dataclass(frozen=True, slots=True)
class Span:
    """Windows along one axis of `size` elements, padded by `pad` at both ends."""

    size: int
    kernel: int
    stride: int
    pad: int
    convention: str

    @property
    def count(self) -> int:
        """Number of windows: `valid` rounds down, `full` up, `same` as if none were cut off."""
        if self.convention == "same":
            return -(-self.size // self.stride)
        reach = self.size + 2 * self.pad - self.kernel
        return (
            reach // self.stride if self.convention == "valid" else -(-reach // self.stride)
        ) + 1

    @property
    def overhang(self) -> int:
        """How far the last window reaches beyond the padded end; negative where it does not."""
        return (self.count - 1) * self.stride + self.kernel - self.size - 2 * self.pad

    @property
    def fits(self) -> bool:
        """Whether MXNet has such windows at all."""
        return self.size + 2 * self.pad >= self.kernel and self.pad < self.kernel

    @property
    def sees(self) -> bool:
        """Whether the last window sees some of the elements: `full` does not look."""
        return (self.count - 1) * self.stride < self.size + self.pad


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
    spans = [
        Span(*one, convention)
        for one in zip(sizes(shape[2:]), view.kernel, view.stride, view.pad, strict=True)
    ]
    made = (*shape[:2], *(max(span.count, 0) for span in spans))
    return [layout.restored(_pool(op, value, made, method, spans, view))]


def _global(op: Operation, value: ir.Value, shape: Sequence[Any], method: str) -> ir.Value:
    reduced = (*shape[:2], *[1] * (len(shape) - 2))
    if method in _GLOBAL:
        return op.node(_GLOBAL[method], [value], reduced)
    if method == "lp":
        return op.node("GlobalLpPool", [value], reduced, p=op.settings.integer("p_value", 2))
    axes = op.integers(range(2, len(shape)), "axes")
    return op.node("ReduceSum", [value, axes], reduced, keepdims=1)


def _pool(
    op: Operation,
    value: ir.Value,
    shape: Sequence[Any],
    method: str,
    spans: Sequence[Span],
    view: Window,
) -> ir.Value:
    rounds = any(span.overhang > 0 for span in spans)
    if not all(span.fits for span in spans):
        raise op.error(
            f"has a kernel of {view.kernel} padded by {view.pad} over "
            f"{tuple(span.size for span in spans)}",
            mend="check the input's shape, the kernel, and that the pad is below it",
        )
    if not all(span.sees for span in spans):
        return op.opaque([tuple(shape)], [value])[0]
    attributes = {
        "kernel_shape": list(view.kernel),
        "strides": list(view.stride),
        "pads": [*view.pad, *(span.pad + max(0, span.overhang) for span in spans)],
    }
    if method == "max":
        return _emit(op, "MaxPool", value, shape, attributes)
    if method == "avg":
        return _average(op, value, shape, spans, attributes)
    if rounds:
        return op.opaque([tuple(shape)], [value])[0]
    if method == "lp":
        return _emit(
            op, "LpPool", value, shape, {**attributes, "p": op.settings.integer("p_value", 2)}
        )
    mean = _emit(op, "AveragePool", value, shape, {**attributes, "count_include_pad": 1})
    area = op.scalar(math.prod(view.kernel), value, "area")
    return op.node("Mul", [mean, area], tuple(shape))


def _average(
    op: Operation,
    value: ir.Value,
    shape: Sequence[Any],
    spans: Sequence[Span],
    attributes: dict[str, Any],
) -> ir.Value:
    """AveragePool that divides as MXNet does: by the window's part inside the padded elements.

    With pads that count and a window that hangs over the end, no explicit pads are right, and
    ONNX's own `ceil_mode` is; along an axis that does not, it must find nothing to round up.
    """
    padded = any(span.pad for span in spans)
    counts = padded and op.settings.flag("count_include_pad", default=True)
    if counts and any(span.overhang > 0 for span in spans):
        ends = [span.pad + min(0, span.overhang) for span in spans]
        if min(ends) < 0:
            return op.opaque([tuple(shape)], [value])[0]
        begins = [span.pad for span in spans]
        attributes = {**attributes, "pads": [*begins, *ends], "ceil_mode": 1}
    return _emit(op, "AveragePool", value, shape, {**attributes, "count_include_pad": int(counts)})


def _emit(
    op: Operation, kind: str, value: ir.Value, shape: Sequence[Any], attributes: dict[str, Any]
) -> ir.Value:
    convention = op.settings.text("pooling_convention", "valid")
    return op.emit(kind, [value], [tuple(shape)], attributes, padding=convention)[0]


@emits("AdaptiveAvgPooling2D")
def adaptive(op: Operation) -> Outputs:
    """Pooling to a size; AveragePool where the windows are all of one size."""
    shape = op.image()
    wanted = op.settings.sizes("output_size", (1,))
    wanted = wanted * 2 if len(wanted) == 1 else wanted
    if len(wanted) != 2 or min(wanted) < 1:
        raise op.error(f"has the output_size {wanted[:9]}", mend="give height and width")
    made = (*shape[:2], *wanted)
    if wanted == (1, 1):
        return [op.node("GlobalAveragePool", [op.value()], made)]
    if any(size % want for size, want in zip(shape[2:], wanted, strict=True)):
        return op.opaque([made])
    step = [size // want for size, want in zip(shape[2:], wanted, strict=True)]
    return [op.node("AveragePool", [op.value()], made, kernel_shape=step, strides=step)]
