"""Weights of a `.caffemodel`: held against the definition, and taken."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.caffe.assembly import Assembled, Assembly
from modeldocs.loaders.caffe.caffemodel import Blob
from modeldocs.loaders.dims import Dims, said, sizes
from modeldocs.loaders.emission.inference import shape_of

MAX_NAMED = 5


def take(assembly: Assembly, blobs: dict[str, list[Blob]], file: str) -> list[str]:
    """Give the graph's parameters the values of blobs; a sentence for what has none or no layer.

    Raises:
        ModeldocsError: a layer has other blobs than the definition gives it.
    """
    layers = [layer for layer in assembly.layers if layer.blobs]
    for layer in layers:
        given = blobs.get(layer.source.name)
        if given is not None:
            _check(layer, given, file)
    for layer in layers:
        for value, array in _values(layer, blobs.get(layer.source.name, [])):
            value.const_value = ir.tensor(array, name=value.name)
    return _told(layers, blobs, file)


def _check(layer: Assembled, given: list[Blob], file: str) -> None:
    wanted = [shape_of(layer.blobs[index]) for index in sorted(layer.blobs)]
    fits = len(given) == len(wanted) and all(
        None not in shape and blob.fits(sizes(shape))
        for blob, shape in zip(given, wanted, strict=True)
    )
    if not fits:
        raise layer.source.error(
            f"has blobs of {_shapes([blob.shape for blob in given])} in {file}, the definition "
            f"gives it {_shapes(wanted)}",
            fix="put the weights beside the definition that they were trained with",
        )


def _shapes(shapes: Sequence[Dims]) -> str:
    return ", ".join(said(shape) for shape in shapes[:MAX_NAMED]) or "none"


def _values(layer: Assembled, given: list[Blob]) -> list[tuple[ir.Value, np.ndarray]]:
    """Each parameter with its values, BatchNorm's statistics divided by its third blob."""
    made = []
    for index, blob in zip(sorted(layer.blobs), given, strict=False):
        value = layer.blobs[index]
        array = blob.reshaped(sizes(shape_of(value)))
        if array is not None:
            made.append((value, array))
    if layer.source.type == "BatchNorm" and len(made) >= 3:
        (mean, first), (var, second), (factor, third), *learned = made
        # Caffe takes statistics that were never updated, whose divisor is 0, for zeros.
        scale = np.float32(0 if third[0] == 0 else 1 / third[0])
        made = [(mean, first * scale), (var, second * scale), (factor, third), *learned]
    return made


def _told(layers: list[Assembled], blobs: dict[str, list[Blob]], file: str) -> list[str]:
    known = {layer.source.name for layer in layers}
    bare = [layer.source.name for layer in layers if layer.source.name not in blobs]
    spare = [name for name in blobs if name not in known]
    notes = [f"weights of {file}"]
    if bare:
        notes.append(f"{file} has no weights for {_names(bare)}")
    if spare:
        notes.append(f"{file} also has weights of {_names(spare)}, which the graph lacks")
    return notes


def _names(names: list[str]) -> str:
    more = f" and {len(names) - MAX_NAMED} others" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more
