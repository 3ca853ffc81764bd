"""Emitters of MXNet's detection operators, most of which ONNX lacks."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits
from modeldocs.loaders.mxnet.operators.slicing import cut


@emits("MultiBoxPrior")
def multi_box_prior(op: MxnetOperation) -> Outputs:
    """Anchors at each place: every size in the first ratio, the first size in other ratios."""
    height, width = op.image()[2:4]
    sizes = op.settings.numbers("sizes", (1.0,))
    ratios = op.settings.numbers("ratios", (1.0,))
    anchors = height * width * (len(sizes) + len(ratios) - 1)
    return op.opaque(
        [(1, anchors, 4)],
        sizes=list(sizes),
        ratios=list(ratios),
        steps=list(op.settings.numbers("steps", (-1.0, -1.0))),
        offsets=list(op.settings.numbers("offsets", (0.5, 0.5))),
        clip=int(op.settings.flag("clip", default=False)),
    )


@emits("MultiBoxDetection")
def multi_box_detection(op: MxnetOperation) -> Outputs:
    """Six numbers for each box: class (-1 for none), score and corners."""
    batch, _, boxes = op.sizes(least=3)[:3]
    settings = op.settings
    return op.opaque(
        [(batch, boxes, 6)],
        clip=int(settings.flag("clip", default=True)),
        threshold=settings.number("threshold", 0.01),
        background_id=settings.integer("background_id", 0),
        nms_threshold=settings.number("nms_threshold", 0.5),
        force_suppress=int(settings.flag("force_suppress", default=False)),
        variances=list(settings.numbers("variances", (0.1, 0.1, 0.2, 0.2))),
        nms_topk=settings.integer("nms_topk", -1),
    )


@emits("MultiBoxTarget")
def multi_box_target(op: MxnetOperation) -> Outputs:
    """The training targets of each box: its offsets, their mask, and its class."""
    boxes = op.sizes(0, least=3)[1]
    batch = op.shape(2, least=1)[0]
    return op.opaque([(batch, boxes * 4), (batch, boxes * 4), (batch, boxes)])


@emits("ROIPooling")
def roi_pooling(op: MxnetOperation) -> Outputs:
    size, scale = _pooled_size(op), op.settings.number("spatial_scale")
    inputs = [op.input(), op.input(1)]
    return [op.node("MaxRoiPool", inputs, pooled_shape=list(size), spatial_scale=scale)]


def _pooled_size(op: MxnetOperation) -> tuple[int, ...]:
    size = op.settings.sizes("pooled_size")
    if len(size) != 2 or min(size) < 1:
        raise op.error(f"has the pooled_size {size[:9]}", fix="give height and width")
    return size


@emits("ROIAlign")
def roi_align(op: MxnetOperation) -> Outputs:
    """Each region sampled to one size."""
    return op.opaque([(op.shape(1, least=2)[0], op.image()[1], *_pooled_size(op))])


@emits("PSROIPooling")
def psroi_pooling(op: MxnetOperation) -> Outputs:
    """Each region pooled to one size, from a group of channels for each place."""
    size = op.settings.integer("pooled_size", least=1)
    channels = op.settings.integer("output_dim", least=1)
    return op.opaque([(op.shape(1, least=2)[0], channels, size, size)])


@emits("Proposal")
def proposal(op: MxnetOperation) -> Outputs:
    """Regions as batch index and corners, and their scores."""
    count = op.settings.integer("rpn_post_nms_top_n", 300, least=1)
    batch = op.image()[0]
    return op.opaque([(batch * count, 5), (batch * count, 1)][: max(1, op.outputs)])


@emits("box_nms", "_contrib_box_nms", "_contrib_box_non_maximum_suppression")
def box_nms(op: MxnetOperation) -> Outputs:
    """The boxes, those suppressed set to -1."""
    return op.opaque([op.shape()])


@emits("_contrib_box_decode")
def box_decode(op: MxnetOperation) -> Outputs:
    """Corners of boxes that are encoded as offsets from anchors."""
    settings, offsets, anchors = op.settings, op.input(0), op.input(1)
    deviations = np.array([settings.number(f"std{i}", 1.0) for i in range(4)], np.float32)
    scaled = op.node("Mul", [offsets, op.constant(deviations, role="std")])
    center, size = _halves(op, anchors)
    if settings.choice("format", "center", "corner", "center") == "corner":
        size = op.node("Sub", [size, center])
        center = op.node("Add", [center, op.node("Mul", [size, op.scalar(0.5, size)])])
    shift, growth = _halves(op, scaled)
    shifted = op.node("Add", [op.node("Mul", [shift, size]), center])
    limit = settings.number("clip", -1.0)
    if limit > 0:
        growth = op.node("Min", [growth, op.scalar(limit, growth)])
    grown = op.node("Mul", [op.node("Exp", [growth]), size])
    half = op.node("Mul", [grown, op.scalar(0.5, grown)])
    corners = [op.node(operator, [shifted, half]) for operator in ("Sub", "Add")]
    return [op.node("Concat", corners, axis=len(op.shape()) - 1)]


def _halves(op: MxnetOperation, boxes: ir.Value) -> tuple[ir.Value, ir.Value]:
    axis = len(shape_of(boxes)) - 1
    return cut(op, boxes, [axis], [0], [2]), cut(op, boxes, [axis], [2], [4])


@emits("_contrib_box_iou")
def box_iou(op: MxnetOperation) -> Outputs:
    """Intersection over union of each box of the first with each of the second."""
    return op.opaque([(*op.shape(0, least=1)[:-1], *op.shape(1, least=1)[:-1])])
