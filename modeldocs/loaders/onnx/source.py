"""ONNX files: parsed, and checked for everything that could harm what reads them later."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import onnx
import onnx_ir as ir
from google.protobuf.message import DecodeError

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LiveRequest, LoadRequest
from modeldocs.loaders.onnx import soundness, sparse


def read(request: LoadRequest) -> onnx.ModelProto:
    """The file of a request, or its live model, checked by `soundness`.

    Raises:
        ModeldocsError: it cannot be read, is truncated, or asks for what a graph cannot be.
    """
    if isinstance(request, LiveRequest):
        file, folder = request.source, Path(request.root)
    else:
        path = Path(str(request.path))
        file, folder = request.relative(path), path.parent
    with naming_file(file):
        proto = _copied(request.target) if isinstance(request, LiveRequest) else _parse(path)
        soundness.check(proto, folder)
        sparse.write_out(proto)
    return proto


def _copied(model: onnx.ModelProto | ir.Model) -> onnx.ModelProto:
    if isinstance(model, ir.Model):
        return ir.to_proto(model)
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


@contextlib.contextmanager
def naming_file(file: str | None) -> Iterator[None]:
    """Name the file in errors that do not name one."""
    try:
        yield
    except ModeldocsError as error:
        error.file = error.file or file
        raise


def _parse(path: Path) -> onnx.ModelProto:
    try:
        proto = onnx.load_model(path, load_external_data=False)
    except OSError as error:
        raise ModeldocsError(f"cannot be read: {error.strerror}", fix="check the path") from None
    except (DecodeError, ValueError) as error:
        raise ModeldocsError(
            f"is not a whole ONNX file: {first_line(error) or type(error).__name__}",
            fix="export it again; the file may have been cut off on the way",
        ) from None
    if not proto.graph.node and not proto.graph.output:
        raise ModeldocsError("holds no graph", fix="export the model to it again")
    return proto
