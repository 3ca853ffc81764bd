"""What a layer that feeds a network tells of the shapes of its blobs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.format.record import Record
from modeldocs.loaders.caffe.layer import Layer
from modeldocs.loaders.dims import Dims

COLOURS = 3
MAX_MEANS = 16
MAX_SETTINGS = 4096
"""Characters of a Python layer's settings that are looked into."""


@dataclass(frozen=True, slots=True)
class Fed:
    """A blob that a layer feeds.

    `shape` is None where not even its rank is told; `batch` may be then. `inferred` says what of
    the shape follows from other settings, `assumed` what no setting tells.
    """

    shape: Dims | None = None
    batch: Dim = None
    inferred: str = ""
    assumed: str = ""


def feeds(layer: Layer) -> bool:
    """Whether a layer only feeds blobs in; any other layer without bottoms does, too."""
    if layer.bottoms:
        return layer.type in _SHAPES and layer.type != "Python"
    return layer.type != "Parameter"


def fed(layer: Layer) -> list[Fed]:
    """What is known of each top of such a layer."""
    usual = _images if layer.type.endswith("Data") else _unknown
    made = _SHAPES.get(layer.type, usual)(layer)
    return [*made, *[Fed()] * (len(layer.tops) - len(made))][: len(layer.tops)]


def _given(layer: Layer) -> list[Fed]:
    """Input: a shape for each top, or one for all."""
    return _for_all(layer, layer.record.message("input_param").all("shape"))


def _dummy(layer: Layer) -> list[Fed]:
    param = layer.record.message("dummy_data_param")
    if param.has("shape"):
        return _for_all(layer, param.all("shape"))
    axes = [param.all(axis) for axis in ("num", "channels", "height", "width")]
    count = min(len(axis) for axis in axes)
    made = [Fed(tuple(int(axis[index]) for axis in axes)) for index in range(count)]
    return made * len(layer.tops) if count == 1 else made


def _for_all(layer: Layer, shapes: list[Record]) -> list[Fed]:
    made = [Fed(tuple(shape.all("dim"))) for shape in shapes]
    return made * len(layer.tops) if len(made) == 1 else made


def _memory(layer: Layer) -> list[Fed]:
    param = layer.record.message("memory_data_param")
    shape = tuple(param.get(name) for name in ("batch_size", "channels", "height", "width"))
    return [Fed(shape), Fed((shape[0],))]


def _images(layer: Layer) -> list[Fed]:
    """Data and its kin: images, as far as the settings tell their size, with the label beside."""
    param = _source_param(layer.record)
    batch = int(param.get("batch_size") or 1)
    transform = _transform_param(layer.record)
    crop = int(transform.get("crop_size") or param.get("crop_size") or 0)
    resize = transform.message("resize_param")
    height = crop or _first(
        transform.get("crop_size_y"), resize.get("height"), param.get("new_height")
    )
    width = crop or _first(
        transform.get("crop_size_x"), resize.get("width"), param.get("new_width")
    )
    channels, inferred = _channels(layer, param, transform)
    assumed = ""
    if channels is None and height and width:
        channels, assumed = COLOURS, f"{COLOURS} channels"
    image = Fed((batch, channels, height, width), inferred=inferred, assumed=assumed)
    return [image, *_beside(layer, batch)]


def _first(*sizes: Any) -> Dim:
    """The first size that is told; a fork's may be anything."""
    return next((size for size in sizes if isinstance(size, int) and size > 0), None)


def _transform_param(record: Record) -> Record:
    """What is done to images, under the name that a fork has it, unless under Caffe's own."""
    names = [name for name in record.values if name.endswith("transform_param")]
    own = record.has("transform_param") or not names
    return record.message("transform_param" if own else names[0])


def _channels(layer: Layer, param: Record, transform: Record) -> tuple[Dim, str]:
    """An image's channels, and by which setting that does not name them they are known."""
    means = len(transform.all("mean_value"))
    if means > 1:
        return means, f"{means} channels by its {means} mean values"
    if transform.flag("force_gray") or param.get("is_color") is False:
        return 1, ""
    coloured = transform.flag("force_color") or param.flag("force_encoded_color")
    # Files of images are read in colour unless told otherwise.
    return (COLOURS if coloured or layer.type in ("ImageData", "WindowData") else None), ""


def _beside(layer: Layer, batch: int) -> list[Fed]:
    """What is fed beside images: labels, one each; those of forks may be anything."""
    if layer.type == "AnnotatedData":
        # SSD's annotations are rows of eight numbers, as many as the batch has objects.
        return [Fed((1, 1, "objects", 8))]
    return [Fed((batch,))] if layer.type in _SHAPES else []


def _source_param(record: Record) -> Record:
    """The settings of where the data comes from, under whichever name a fork has them."""
    held = [record.message(name) for name in record.values if name.endswith("data_param")]
    told = next((param for param in held if param.has("batch_size")), None)
    return told or next(iter(held), record.message("data_param"))


def _hdf5(layer: Layer) -> list[Fed]:
    """HDF5Data: the file holds the shapes; only a label's can be told without it."""
    batch = int(layer.record.message("hdf5_data_param").get("batch_size") or 1)
    return [
        Fed((batch,)) if index and "label" in top else Fed(batch=batch)
        for index, top in enumerate(layer.tops)
    ]


def _python(layer: Layer) -> list[Fed]:
    """A layer written in Python: images, where its settings have a mean of each channel."""
    means = _means(layer.record.message("python_param").text("param_str"))
    if not 1 < means <= MAX_MEANS:
        return _unknown(layer)
    return [Fed((None, means, None, None), inferred=f"{means} channels by its {means} means")]


def _means(settings: str) -> int:
    """How many means a Python layer's settings give; 0 where they are no dictionary with any."""
    try:
        told = ast.literal_eval(settings) if len(settings) < MAX_SETTINGS else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return 0
    means = told.get("mean") if isinstance(told, dict) else None
    return len(means) if isinstance(means, tuple | list) else 0


def _unknown(layer: Layer) -> list[Fed]:
    return [Fed()] * len(layer.tops)


_SHAPES: dict[str, Callable[[Layer], list[Fed]]] = {
    "Input": _given, "DummyData": _dummy, "MemoryData": _memory, "Data": _images,
    "ImageData": _images, "WindowData": _images, "AnnotatedData": _images, "VideoData": _images,
    "ImageSegData": _images, "HDF5Data": _hdf5, "Python": _python,
}  # fmt: skip
