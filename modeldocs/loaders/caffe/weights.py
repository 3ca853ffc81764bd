"""Weights of a `.caffemodel` beside a definition: found, held against it, and taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe import binary
from modeldocs.loaders.caffe.assembly import Assembled, Assembly
from modeldocs.loaders.caffe.blobs import shape_of
from modeldocs.loaders.caffe.caffemodel import Blob
from modeldocs.loaders.dims import Dims, said, sizes

ARGUMENT = "weights"
MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class Place:
    """A `.caffemodel`, and whether it is `sure` to be of the definition it lies beside."""

    path: Path
    sure: bool


def find(definition: Path, args: dict[str, Any]) -> Place | None:
    """The weights of a definition: those that `args` name, those of its own name, or the only ones.

    Raises:
        ModeldocsError: `args` name a file that is not there.
    """
    named = args.get(ARGUMENT)
    if named is not None:
        path = definition.parent / str(named)
        if not isinstance(named, str) or not path.is_file():
            raise ModeldocsError(
                f"there are no weights {named!r} beside it",
                file=definition.name,
                mend="name a .caffemodel in the definition's folder",
            )
        return Place(path, sure=True)
    own = definition.with_suffix(binary.SUFFIX)
    if own.is_file():
        return Place(own, sure=True)
    others = sorted(definition.parent.glob(f"*{binary.SUFFIX}"))
    return Place(others[0], sure=False) if len(others) == 1 else None


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
            mend="put the weights beside the definition that they were trained with",
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
