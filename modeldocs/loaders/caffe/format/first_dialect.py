"""Caffe's first dialect, of 2013, in which an inner `layer` has all settings of a layer.

As Caffe does itself, `upgraded` translates its layers to the second dialect (`V1LayerParameter`);
each keeps its original message.
"""

from __future__ import annotations

from modeldocs.loaders.caffe.format.prototxt import Message, PrototxtField
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
    return any(_inner(entry) is not None for entry in net.fields)


def upgraded(net: Message) -> Message:
    """The network with its layers in the second dialect."""
    network = Message(net.place)
    pads: dict[str, Message] = {}
    for entry in net.fields:
        inner = _inner(entry)
        if inner is None or not isinstance(entry.value, Message):
            network.fields.append(entry)
        elif _text(inner, "type") == _PADDING:
            pads[_text(entry.value, "top")] = entry.value
        else:
            network.fields.append(
                PrototxtField("layers", _layer(entry.value, inner, pads), entry.place)
            )
    return network


def _inner(entry: PrototxtField) -> Message | None:
    if entry.name != "layers" or not isinstance(entry.value, Message):
        return None
    values = (one.value for one in entry.value.fields if one.name == "layer")
    return next((value for value in values if isinstance(value, Message)), None)


def _layer(outer: Message, inner: Message, pads: dict[str, Message]) -> Message:
    kind = _text(inner, "type")
    layer = Message(outer.place, former=outer)
    settings, transform = Message(inner.place), Message(inner.place)
    for entry in outer.fields:
        padding = pads.get(str(entry.value)) if entry.name == "bottom" else None
        if padding is not None and kind in ("conv", "pool"):
            layer.fields.append(PrototxtField("bottom", _text(padding, "bottom"), entry.place))
            settings.fields += _pads(padding)
            # The original message is that of both layers.
            both = [*outer.fields, PrototxtField(_PADDING, padding, padding.place)]
            layer.former = Message(outer.place, both)
        elif entry.name != "layer":
            layer.fields.append(entry)
    for entry in inner.fields:
        if entry.name == "type":
            layer.fields.append(PrototxtField("type", Word(_TYPES.get(kind, kind)), entry.place))
        elif entry.name in _OF_LAYER or entry.name.endswith("_param"):
            layer.fields.append(entry)
        elif entry.name != "blobs":
            target = transform if entry.name in _TRANSFORMS else settings
            name = _RENAMED.get(entry.name, entry.name)
            target.fields.append(PrototxtField(name, entry.value, entry.place))
    for name, message in ((_PARAMS.get(kind, ""), settings), ("transform_param", transform)):
        if name and message.fields:
            layer.fields.append(PrototxtField(name, message, inner.place))
    return layer


def _pads(padding: Message) -> list[PrototxtField]:
    inner = _inner(PrototxtField("layers", padding, padding.place))
    return [entry for entry in inner.fields if entry.name == "pad"] if inner is not None else []


def _text(message: Message, name: str) -> str:
    values = (entry.value for entry in message.fields if entry.name == name)
    return next((value for value in values if isinstance(value, str)), "")
