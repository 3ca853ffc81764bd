"""Emitter of Caffe's pooling, which rounds the number of windows up by default."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.format.record import CaffeMessage
from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.dims import Dims, are_known, sizes
from modeldocs.loaders.emission import windows
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.emission.pooling import pool
from modeldocs.loaders.emission.windows import WindowSpan

_WIDE = 2**20
"""A size for unknown dimensions, into which every kernel fits."""

_OPERATORS = {"MAX": "MaxPool", "AVE": "AveragePool"}


@emits("Pooling")
def pooling(op: CaffeOperation) -> Outputs:
    """MaxPool, AveragePool or their global forms; Caffe's own where ONNX lacks such windows."""
    param = op.param("pooling_param")
    batch, channels, *spatial = op.images()
    if len(spatial) != 2:
        raise op.error("pools a blob that has not 4 dimensions", fix="give it N×C×H×W")
    kind = _OPERATORS.get(param.text("pool"))
    if param.flag("global_pooling") and kind is not None:
        return [op.node(f"Global{kind}", op.inputs[:1])]
    if not are_known(spatial):
        return _unsized(op, param, kind, (batch, channels), spatial)
    spans = _spans(op, param, sizes(spatial))
    # A second output of MaxPool are indices: Caffe counts them in an image, ONNX in the tensor.
    count = 1 if kind == "AveragePool" else op.output_count
    tops = None
    if kind is not None:
        tops = pool(
            op,
            kind,
            op.input(),
            spans,
            counts_pads=any(span.pad for span in spans),
            shapes=[None] * min(2, count),
            padding=_rounding(spans),
        )
    if tops is None:
        shape = (batch, channels, *(span.count for span in spans))
        tops = op.opaque([shape] * count, param="pooling_param")
    return tops


def _unsized(
    op: CaffeOperation, param: CaffeMessage, kind: str | None, leading: Dims, spatial: Sequence[Dim]
) -> Outputs:
    """A pool of images of unknown size, where ONNX itself rounds the number of windows."""
    if kind is None:
        return op.opaque([(*leading, None, None)], param="pooling_param")
    spans = _spans(op, param, tuple(s if isinstance(s, int) else _WIDE for s in spatial))
    counts = (
        span.count if isinstance(size, int) else None
        for span, size in zip(spans, spatial, strict=True)
    )
    outputs = 1 if kind == "AveragePool" else min(2, op.output_count)
    return op.node_of_several(
        kind,
        op.inputs[:1],
        outputs,
        shapes=[(*leading, *counts)] * outputs,
        padding=_rounding(spans),
        kernel_shape=[span.kernel for span in spans],
        strides=[span.stride for span in spans],
        pads=[span.pad for span in spans] * 2,
        ceil_mode=int(spans[0].ceil),
        count_include_pad=int(any(s.pad for s in spans)) if kind == "AveragePool" else None,
    )


def _spans(op: CaffeOperation, param: CaffeMessage, spatial: tuple[int, ...]) -> list[WindowSpan]:
    """The windows along height and width of images of this size."""
    if param.flag("global_pooling"):
        return [WindowSpan(size, size, 1, 0, clips=False) for size in spatial]
    kernels = _pair(param, "kernel_size", "kernel", None)
    strides, pads = _pair(param, "stride", "stride", 1), _pair(param, "pad", "pad", 0)
    ceil = param.text("round_mode") == "CEIL"
    if param.has("ceil_mode"):  # as forks have it, and Caffe's own from 2018 on
        ceil = param.flag("ceil_mode")
    spans = windows.spans(spatial, kernels, strides, pads, ceil=ceil, clips=any(pads))
    for span in spans:
        if span.kernel < 1 or span.stride < 1 or span.pad >= span.kernel:
            raise op.error(
                f"has kernel {span.kernel}, stride {span.stride}, pad {span.pad}",
                at="pooling_param",
                fix="use a kernel and stride of at least 1, and a pad below the kernel",
            )
        if span.kernel > span.size + 2 * span.pad:
            raise op.error(
                f"has a kernel of {span.kernel}, wider than its image of {span.size}",
                at="pooling_param",
                fix="check the input's shape and the kernel",
            )
    return spans


def _pair(param: CaffeMessage, name: str, prefix: str, default: int | None) -> tuple[int, int]:
    """A setting along height and width, which may be given for both or for each."""
    height, width = param.get(f"{prefix}_h"), param.get(f"{prefix}_w")
    if height is not None and width is not None:
        return int(height), int(width)
    both = default if default is not None and not param.has(name) else param.integer(name)
    return both if height is None else int(height), both if width is None else int(width)


def _rounding(spans: list[WindowSpan]) -> str:
    """How the number of windows is rounded, as the layer's padding strategy."""
    return "ceil" if spans[0].ceil else "floor"
