"""Checks of an ONNX file's tensors: their shapes, their bytes, and their external data."""

from __future__ import annotations

import math
from pathlib import Path, PurePosixPath, PureWindowsPath

import onnx
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import dims
from modeldocs.loaders.onnx.signatures import AGAIN

_BYTES = {
    int(kind): kind.itemsize
    for kind in ir.DataType
    if kind not in (ir.DataType.UNDEFINED, ir.DataType.STRING)
}
"""Bytes of an element by ONNX's number of its type."""


def check(tensor: onnx.TensorProto, folder: Path) -> None:
    """Refuse a tensor too large for any machine, of wrong length, or whose file is elsewhere.

    Raises:
        ModeldocsError: with the tensor; it names no file.
    """
    for entry in tensor.external_data:
        if entry.key == "location":
            _check_location(entry.value, tensor.name, folder)
    if dims.is_absurd(tensor.dims):
        raise ModeldocsError(
            f"tensor {tensor.name!r} has the impossible shape {dims.as_text(tensor.dims)}",
            fix=AGAIN,
        )
    length = len(tensor.raw_data)
    if length and tensor.data_type in _BYTES:
        expected = math.ceil(math.prod(tensor.dims) * _BYTES[tensor.data_type])
        if length != expected:
            raise ModeldocsError(
                f"tensor {tensor.name!r} of shape {dims.as_text(tensor.dims)} holds "
                f"{length:,} bytes, not {expected:,}",
                fix=AGAIN,
            )


def _check_location(location: str, name: str, folder: Path) -> None:
    windows = PureWindowsPath(location)
    is_outside = (
        not location.strip(".")
        or not location.isprintable()
        or PurePosixPath(location).is_absolute()
        or bool(windows.drive or windows.root)
        or ".." in windows.parts
        or not (folder / location).resolve().is_relative_to(folder.resolve())
    )
    if is_outside:
        raise ModeldocsError(
            f"tensor {name!r} wants its data from {location!r}, outside the model's folder",
            fix="keep external data beside the .onnx file and refer to it by its name alone",
        )
