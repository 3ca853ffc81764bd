"""Emitters of the layers of SSD, YOLO and Faster R-CNN, which stay in Caffe's domain."""

from __future__ import annotations

from modeldocs.loaders.caffe.format.record import CaffeMessage
from modeldocs.loaders.caffe.layer import is_loss
from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.dims import Dims, product
from modeldocs.loaders.emission.operation import Outputs

MAX_RATIOS = 100


@emits("PriorBox")
def prior_box(op: CaffeOperation) -> Outputs:
    """Boxes and variances: 1 × 2 × (height · width · priors · 4)."""
    positions = product(op.images()[2:4])
    param = op.param("prior_box_param")
    if len(param.all("aspect_ratio")) > MAX_RATIOS:
        raise op.error("has too many ratios", fix=f"give up to {MAX_RATIOS} aspect_ratios")
    count = _priors(param)
    boxes = positions * count * 4 if isinstance(positions, int) else None
    return op.opaque([(1, 2, boxes)], param="prior_box_param")


def _priors(param: CaffeMessage) -> int:
    """Boxes per position: each minimal size in each ratio and in 1, and one per maximal size."""
    ratios = [1.0]
    for ratio in map(float, param.all("aspect_ratio")):
        if any(abs(ratio - known) < 1e-6 for known in ratios):
            continue
        ratios += [ratio, 1 / ratio] if param.flag("flip") and ratio else [ratio]
    return len(param.all("min_size")) * len(ratios) + len(param.all("max_size"))


@emits("DetectionOutput", "YoloDetectionOutput", "Yolov3DetectionOutput")
def detection_output(op: CaffeOperation) -> Outputs:
    """Seven numbers per detected object."""
    param = "detection_output_param" if op.kind == "DetectionOutput" else ""
    return op.opaque([(1, 1, "detections", 7)], param=param)


@emits("DetectionEvaluate")
def detection_evaluate(op: CaffeOperation) -> Outputs:
    """A row per class, then one per detected object."""
    return op.opaque([(1, 1, "rows", 5)], param="detection_evaluate_param")


@emits("ROIPooling", "PSROIPooling", "ROIAlign")
def roi_pooling(op: CaffeOperation) -> Outputs:
    """Each region pooled to one size."""
    channels = op.images()[1]
    regions = op.shape(1, least=1)[0] if op.input(1).shape is not None else None
    if op.kind == "PSROIPooling":
        param = op.param("psroi_pooling_param")
        outputs, group = param.integer("output_dim"), param.integer("group_size")
        return op.opaque([(regions, outputs, group, group)])
    param = op.param("roi_align_param" if op.kind == "ROIAlign" else "roi_pooling_param")
    size = (param.integer("pooled_h"), param.integer("pooled_w"))
    return op.opaque([(regions, channels, *size)])


@emits("Proposal")
def proposal(op: CaffeOperation) -> Outputs:
    """Regions as batch index and corners; a second top holds their scores."""
    return op.opaque([("regions", 5), ("regions", 1)][: op.output_count])


@emits("Python")
def python(op: CaffeOperation) -> Outputs:
    """A layer written in Python, which is not run: some are known by the names of their classes."""
    kind = op.param("python_param").text("layer")
    if kind.removesuffix("Layer") == "Proposal":
        return proposal(op)
    tops = len(op.layer.tops)
    if is_loss(kind.removesuffix("Layer")):
        return op.opaque([()] * max(1, tops), param="python_param")
    unknown: Dims | None = None
    if op.input().shape is not None:
        shape = op.shape()
        unknown = (*shape[:1], *[None] * (len(shape) - 1))
    return op.opaque([unknown] * tops, param="python_param")
