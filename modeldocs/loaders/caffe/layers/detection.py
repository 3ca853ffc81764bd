"""SSD's and Faster R-CNN's layers, which ONNX lacks: drawn as they are, with their shapes."""

from __future__ import annotations

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.caffe.losses import is_loss
from modeldocs.loaders.caffe.record import Record
from modeldocs.loaders.dims import Dims, product

MAX_RATIOS = 100


@emits("PriorBox")
def prior_box(layer: CaffeLayer) -> Tops:
    """Boxes and variances: 1 × 2 × (height · width · priors · 4)."""
    places = product(layer.images()[2:4])
    param = layer.param("prior_box_param")
    if len(param.all("aspect_ratio")) > MAX_RATIOS:
        raise layer.error("has too many ratios", fix=f"give up to {MAX_RATIOS} aspect_ratios")
    count = _priors(param)
    boxes = places * count * 4 if isinstance(places, int) else None
    return layer.opaque([(1, 2, boxes)], param="prior_box_param")


def _priors(param: Record) -> int:
    """Boxes at each place: every size in every ratio, 1 among them, and one a maximal size."""
    ratios = [1.0]
    for ratio in map(float, param.all("aspect_ratio")):
        if any(abs(ratio - known) < 1e-6 for known in ratios):
            continue
        ratios += [ratio, 1 / ratio] if param.flag("flip") and ratio else [ratio]
    return len(param.all("min_size")) * len(ratios) + len(param.all("max_size"))


@emits("DetectionOutput", "YoloDetectionOutput", "Yolov3DetectionOutput")
def detection_output(layer: CaffeLayer) -> Tops:
    """Seven numbers for each object found."""
    param = "detection_output_param" if layer.source.type == "DetectionOutput" else ""
    return layer.opaque([(1, 1, "detections", 7)], param=param)


@emits("DetectionEvaluate")
def detection_evaluate(layer: CaffeLayer) -> Tops:
    """A row for each class, then one for each object found."""
    return layer.opaque([(1, 1, "rows", 5)], param="detection_evaluate_param")


@emits("ROIPooling", "PSROIPooling", "ROIAlign")
def roi_pooling(layer: CaffeLayer) -> Tops:
    """Each region pooled to one size."""
    field = f"{layer.source.type.removesuffix('Pooling').removesuffix('Align').lower()}"
    channels = layer.images()[1]
    regions = layer.shape(1, least=1)[0] if layer.bottom(1).shape is not None else None
    if layer.source.type == "PSROIPooling":
        param = layer.param("psroi_pooling_param")
        outputs, group = param.integer("output_dim"), param.integer("group_size")
        return layer.opaque([(regions, outputs, group, group)])
    param = layer.param(f"{field}_{'align' if 'Align' in layer.source.type else 'pooling'}_param")
    size = (param.integer("pooled_h"), param.integer("pooled_w"))
    return layer.opaque([(regions, channels, *size)])


@emits("Proposal")
def proposal(layer: CaffeLayer) -> Tops:
    """Regions as batch index and corners; a second top holds their scores."""
    return layer.opaque([("regions", 5), ("regions", 1)][: max(1, len(layer.source.tops))])


@emits("Python")
def python(layer: CaffeLayer) -> Tops:
    """A layer written in Python, never run: its name may tell that it proposes, or is a loss."""
    kind = layer.param("python_param").text("layer")
    if kind.removesuffix("Layer") == "Proposal":
        return proposal(layer)
    tops = len(layer.source.tops)
    if is_loss(kind.removesuffix("Layer")):
        return layer.opaque([()] * max(1, tops), param="python_param")
    unknown: Dims | None = None
    if layer.bottom().shape is not None:
        shape = layer.shape()
        unknown = (*shape[:1], *[None] * (len(shape) - 1))
    return layer.opaque([unknown] * tops, param="python_param")
