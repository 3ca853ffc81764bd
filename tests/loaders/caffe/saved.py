"""`.caffemodel`s made of definitions by protobuf itself, by the schema that we read them with."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

from modeldocs.loaders.caffe.format.schema import FieldType, enums, messages, numbers

FIELD = descriptor_pb2.FieldDescriptorProto
KINDS = {
    "int": FIELD.TYPE_INT64,
    "uint": FIELD.TYPE_UINT32,
    "float": FIELD.TYPE_FLOAT,
    "bool": FIELD.TYPE_BOOL,
    "string": FIELD.TYPE_STRING,
}
BLOB = "BlobProto"
PREFIXED = ("Phase", "PoolMethod", "EltwiseOp", "NormRegion", "CodeType", "V1LayerType")


@functools.cache
def _net() -> Any:
    """Protobuf's class of a whole network."""
    file = descriptor_pb2.FileDescriptorProto(name="net.proto", package="net")
    for name, values in enums().items():
        made = file.enum_type.add(name=name)
        for number, value in sorted(values.items()):
            made.value.add(name=f"{name}_{value}", number=number)
    for name, fields in messages().items():
        if name in numbers():
            message = file.message_type.add(name=name)
            for number, field in numbers()[name].items():
                known = fields.get(field)
                if known is not None and known.type in (*KINDS, *enums(), *numbers()):
                    _declare(message, field, number, known)
                elif field == "blobs":
                    _declare(message, field, number, FieldType(BLOB, True, None))
    blob = file.message_type.add(name=BLOB)
    for field, number in {"num": 1, "channels": 2, "height": 3, "width": 4}.items():
        _declare(blob, field, number, FieldType("int", False, None))
    _declare(blob, "data", 5, FieldType("float", True, None))
    _declare(blob, "shape", 7, FieldType("BlobShape", False, None))
    blob.field[-2].options.packed = True
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("net.NetParameter"))


def _declare(message: Any, name: str, number: int, known: FieldType) -> None:
    label = FIELD.LABEL_REPEATED if known.repeated else FIELD.LABEL_OPTIONAL
    made = message.field.add(name=name, number=number, label=label)
    made.type = KINDS.get(
        known.type, FIELD.TYPE_ENUM if known.type in enums() else FIELD.TYPE_MESSAGE
    )
    if known.type not in KINDS:
        made.type_name = f".net.{known.type}"


def saved(text: str, *, legacy: bool = False, **blobs: list[np.ndarray]) -> bytes:
    """A definition as a `.caffemodel` whose layers have the blobs given by name.

    `legacy` gives blobs the four dimensions of old files in place of a shape.
    """
    net = _net()()
    text_format.Parse(_enums_prefixed(text), net)
    for layer in [*net.layer, *net.layers]:
        for array in blobs.get(layer.name or layer.layer.name, []):
            blob = layer.blobs.add(data=array.astype(np.float32).reshape(-1))
            if legacy:
                dims = (1,) * (4 - array.ndim) + array.shape
                blob.num, blob.channels, blob.height, blob.width = dims
            else:
                blob.shape.dim.extend(array.shape)
    made: bytes = net.SerializeToString()
    return made


def _enums_prefixed(text: str) -> str:
    """Enum values under names that are unique in one file, as protobuf wants them."""
    values = {v: k for k, names in enums().items() for v in names.values() if k in PREFIXED}
    return re.sub(
        r"(\w+: )([A-Z][A-Z_0-9]+)\b",
        lambda m: m[1] + (f"{values[m[2]]}_{m[2]}" if m[2] in values else m[2]),
        text,
    )
