"""Edited ports: what the store holds of a load, changed, and put into the store as a load."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
import onnx_ir as ir

from modeldocs import edits, normal
from modeldocs.edits import Edit
from modeldocs.ir import encode
from modeldocs.loaders import weights
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.load import Load


def edited(loaded: Load, changes: Sequence[Edit], place: TaskFolders) -> Load:
    """A port that loaded, with edits; its ONNX is that of its normal form.

    Raises:
        ModeldocsError: an edit cannot be made, or a layer does not fit any more.
    """
    model = ir.from_proto(onnx.load_from_string(place.read(str(loaded.normal))))
    edits.apply(model, changes)
    graph = place.objects.write_object(encode(normal.read(model)))
    data = place.objects.write_object(weights.without(model))
    return Load(framework=loaded.framework, graph=graph, onnx=data, normal=data)
