"""Layers that feed a network, and what their settings say of the shapes of their blobs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.format.record import CaffeMessage
from modeldocs.loaders.caffe.layer import CaffeLayer
from modeldocs.loaders.dims import Dims

COLOURS = 3
MAX_MEANS = 16
MAX_SETTINGS = 4096
"""Characters of a Python layer's settings that are parsed."""


@dataclass(frozen=True, slots=True)
class Fed:
    """The shape of a blob that a layer feeds, None for an unknown rank; `batch` may be known then.

    `inferred` says which part of the shape follows from other settings, `assumed` which from none.
    """

    shape: Dims | None = None
    batch: Dim = None
    inferred: str = ""
    assumed: str = ""


def feeds(layer: CaffeLayer) -> bool:
    """Whether a layer only feeds blobs in: a data layer, or any other without bottoms."""
    if layer.bottoms:
        return layer.type in _SHAPES and layer.type != "Python"
    return layer.type != "Parameter"


def outputs(layer: CaffeLayer) -> list[Fed]:
    """The blobs that a feeding layer outputs, one for each top."""
    default = _images if layer.type.endswith("Data") else _unknown
    blobs = _SHAPES.get(layer.type, default)(layer)
    return [*blobs, *[Fed()] * (len(layer.tops) - len(blobs))][: len(layer.tops)]


def _input(layer: CaffeLayer) -> list[Fed]:
    return _for_all(layer, layer.record.message("input_param").all("shape"))


def _dummy(layer: CaffeLayer) -> list[Fed]:
    param = layer.record.message("dummy_data_param")
    if param.has("shape"):
        return _for_all(layer, param.all("shape"))
    axes = [param.all(axis) for axis in ("num", "channels", "height", "width")]
    blobs = [Fed(tuple(int(size) for size in sizes)) for sizes in zip(*axes, strict=False)]
    return blobs * len(layer.tops) if len(blobs) == 1 else blobs


def _for_all(layer: CaffeLayer, shapes: list[CaffeMessage]) -> list[Fed]:
    """A shape for each top, or one for all of them."""
    blobs = [Fed(tuple(shape.all("dim"))) for shape in shapes]
    return blobs * len(layer.tops) if len(blobs) == 1 else blobs


def _memory(layer: CaffeLayer) -> list[Fed]:
    param = layer.record.message("memory_data_param")
    shape = tuple(param.get(name) for name in ("batch_size", "channels", "height", "width"))
    return [Fed(shape), Fed((shape[0],))]


def _images(layer: CaffeLayer) -> list[Fed]:
    """Images, as far as the settings give their size, and the labels beside them."""
    param = _data_param(layer.record)
    batch = int(param.get("batch_size") or 1)
    transform = _transform_param(layer.record)
    crop = int(transform.get("crop_size") or param.get("crop_size") or 0)
    height, width = (
        crop
        or _first_size(
            transform.get(f"crop_size_{axis}"),
            transform.message("resize_param").get(name),
            param.get(f"new_{name}"),
        )
        for axis, name in (("y", "height"), ("x", "width"))
    )
    channels, inferred = _channels(layer, param, transform)
    assumed = ""
    if channels is None and height and width:
        channels, assumed = COLOURS, f"{COLOURS} channels"
    image = Fed((batch, channels, height, width), inferred=inferred, assumed=assumed)
    return [image, *_labels(layer, batch)]


def _first_size(*settings: Any) -> Dim:
    """The first setting that is a size; a fork's may be anything."""
    return next((size for size in settings if isinstance(size, int) and size > 0), None)


def _transform_param(record: CaffeMessage) -> CaffeMessage:
    """The settings of how images are prepared, under Caffe's name or a fork's."""
    names = [name for name in record.values if name.endswith("transform_param")]
    own = record.has("transform_param") or not names
    return record.message("transform_param" if own else names[0])


def _channels(layer: CaffeLayer, param: CaffeMessage, transform: CaffeMessage) -> tuple[Dim, str]:
    """The channels of images, and a phrase for a setting that they are inferred from."""
    means = len(transform.all("mean_value"))
    if means > 1:
        return means, f"{means} channels by its {means} mean values"
    if transform.flag("force_gray") or param.get("is_color") is False:
        return 1, ""
    coloured = transform.flag("force_color") or param.flag("force_encoded_color")
    # Image files are read in colour by default; a database may hold anything.
    return (COLOURS if coloured or layer.type in ("ImageData", "WindowData") else None), ""


def _labels(layer: CaffeLayer, batch: int) -> list[Fed]:
    """The second blob beside images: a label for each, which a fork's may not be."""
    if layer.type == "AnnotatedData":
        # SSD's annotations are rows of eight numbers, one for each object in the batch.
        return [Fed((1, 1, "objects", 8))]
    return [Fed((batch,))] if layer.type in _SHAPES else []


def _data_param(record: CaffeMessage) -> CaffeMessage:
    """The settings of the data's source, under whichever name a fork has them."""
    params = [record.message(name) for name in record.values if name.endswith("data_param")]
    with_batch = next((param for param in params if param.has("batch_size")), None)
    return with_batch or next(iter(params), record.message("data_param"))


def _hdf5(layer: CaffeLayer) -> list[Fed]:
    """Blobs whose shapes are in the data file, except for labels."""
    batch = int(layer.record.message("hdf5_data_param").get("batch_size") or 1)
    return [
        Fed((batch,)) if index and "label" in top else Fed(batch=batch)
        for index, top in enumerate(layer.tops)
    ]


def _python(layer: CaffeLayer) -> list[Fed]:
    """The blobs of a layer written in Python: images if its settings have a mean per channel."""
    means = _mean_count(layer.record.message("python_param").text("param_str"))
    if not 1 < means <= MAX_MEANS:
        return _unknown(layer)
    return [Fed((None, means, None, None), inferred=f"{means} channels by its {means} means")]


def _mean_count(settings: str) -> int:
    """The number of means in the settings of a Python layer; 0 where there are none."""
    try:
        values = ast.literal_eval(settings) if len(settings) < MAX_SETTINGS else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return 0
    means = values.get("mean") if isinstance(values, dict) else None
    return len(means) if isinstance(means, tuple | list) else 0


def _unknown(layer: CaffeLayer) -> list[Fed]:
    return [Fed()] * len(layer.tops)


_SHAPES: dict[str, Callable[[CaffeLayer], list[Fed]]] = {
    "Input": _input, "DummyData": _dummy, "MemoryData": _memory, "Data": _images,
    "ImageData": _images, "WindowData": _images, "AnnotatedData": _images, "VideoData": _images,
    "ImageSegData": _images, "HDF5Data": _hdf5, "Python": _python,
}  # fmt: skip
