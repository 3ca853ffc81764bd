"""The first dialect, of 2013: layers whose settings all stand in one inner `layer`.

`upgraded` writes them as the second has them (`V1LayerParameter`), as Caffe itself does; what the
source said stays beside it.
"""

from __future__ import annotations

from modeldocs.loaders.caffe.format.prototxt import Field, Message
from modeldocs.loaders.caffe.format.tokens import Word

_TYPES = {
    "accuracy": "ACCURACY", "bnll": "BNLL", "concat": "CONCAT", "conv": "CONVOLUTION",
    "data": "DATA", "dropout": "DROPOUT", "euclidean_loss": "EUCLIDEAN_LOSS",
    "flatten": "FLATTEN", "hdf5_data": "HDF5_DATA", "hdf5_output": "HDF5_OUTPUT",
    "im2col": "IM2COL", "images": "IMAGE_DATA", "infogain_loss": "INFOGAIN_LOSS",
    "innerproduct": "INNER_PRODUCT", "lrn": "LRN",
    "multinomial_logistic_loss": "MULTINOMIAL_LOGISTIC_LOSS", "pool": "POOLING", "relu": "RELU",
    "sigmoid": "SIGMOID", "softmax": "SOFTMAX", "softmax_loss": "SOFTMAX_LOSS", "split": "SPLIT",
    "tanh": "TANH", "window_data": "WINDOW_DATA",
}  # fmt: skip

_PARAMS = {
    "conv": "convolution_param", "pool": "pooling_param", "innerproduct": "inner_product_param",
    "lrn": "lrn_param", "dropout": "dropout_param", "concat": "concat_param",
    "data": "data_param", "images": "image_data_param", "window_data": "window_data_param",
    "hdf5_data": "hdf5_data_param", "infogain_loss": "infogain_loss_param",
}  # fmt: skip

_RENAMED = {
    "biasterm": "bias_term", "kernelsize": "kernel_size", "batchsize": "batch_size",
    "meanfile": "mean_file", "cropsize": "crop_size", "shuffle_images": "shuffle",
}  # fmt: skip

_TRANSFORMS = ("scale", "meanfile", "cropsize", "mirror")
_OF_LAYER = ("name", "blobs_lr", "weight_decay")
_PADDING = "padding"


def is_first(net: Message) -> bool:
    """Whether a network has layers of the first dialect."""
    return any(_inner(held) is not None for held in net.fields)


def upgraded(net: Message) -> Message:
    """The network with its layers as the second dialect has them."""
    made = Message(net.place)
    pads: dict[str, Message] = {}
    for held in net.fields:
        inner = _inner(held)
        if inner is None or not isinstance(held.value, Message):
            made.fields.append(held)
        elif _text(inner, "type") == _PADDING:
            pads[_text(held.value, "top")] = held.value
        else:
            made.fields.append(Field("layers", _layer(held.value, inner, pads), held.place))
    return made


def _inner(held: Field) -> Message | None:
    if held.name != "layers" or not isinstance(held.value, Message):
        return None
    found = (f.value for f in held.value.fields if f.name == "layer")
    return next((value for value in found if isinstance(value, Message)), None)


def _layer(outer: Message, inner: Message, pads: dict[str, Message]) -> Message:
    kind = _text(inner, "type")
    made = Message(outer.place, former=outer)
    settings, transform = Message(inner.place), Message(inner.place)
    for held in outer.fields:
        padding = pads.get(str(held.value)) if held.name == "bottom" else None
        if padding is not None and kind in ("conv", "pool"):
            made.fields.append(Field("bottom", _text(padding, "bottom"), held.place))
            settings.fields += _pads(padding)
            # The source's own words are those of both layers.
            told = [*outer.fields, Field(_PADDING, padding, padding.place)]
            made.former = Message(outer.place, told)
        elif held.name != "layer":
            made.fields.append(held)
    for held in inner.fields:
        if held.name == "type":
            made.fields.append(Field("type", Word(_TYPES.get(kind, kind)), held.place))
        elif held.name in _OF_LAYER or held.name.endswith("_param"):
            made.fields.append(held)
        elif held.name != "blobs":
            target = transform if held.name in _TRANSFORMS else settings
            name = _RENAMED.get(held.name, held.name)
            target.fields.append(Field(name, held.value, held.place))
    for name, message in ((_PARAMS.get(kind, ""), settings), ("transform_param", transform)):
        if name and message.fields:
            made.fields.append(Field(name, message, inner.place))
    return made


def _pads(padding: Message) -> list[Field]:
    """By how much a layer of padding pads."""
    inner = _inner(Field("layers", padding, padding.place))
    return [held for held in inner.fields if held.name == "pad"] if inner is not None else []


def _text(message: Message, name: str) -> str:
    found = (held.value for held in message.fields if held.name == name)
    return next((value for value in found if isinstance(value, str)), "")
