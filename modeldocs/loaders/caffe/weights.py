"""Parameters of a network: values from a `.caffemodel`, or designed ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.caffe.format.blobs import Blob
from modeldocs.loaders.caffe.operation import CaffeOperation
from modeldocs.loaders.dims import Dims, as_text, sizes
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.names import first_of
from modeldocs.loaders.reference import Designed

MAX_NAMED = 5

FACTOR_INDEX = 2
"""BatchNorm's third blob, which only divides the two before it."""

FACTOR = 4.0
"""The designed value of that blob: a power of two, so that products with it are exact."""

_STORED_FLAT = ("PReLU", "Scale", "Bias", "Normalize")
"""Layers whose blobs lack the trailing ones that ONNX's broadcasting asks for."""


def take(
    layers: Iterable[CaffeOperation], blobs: Mapping[str, Sequence[Blob]], file: str
) -> list[str]:
    """Give parameters the values of blobs, by layer; returns notes on which lack or have none.

    Raises:
        ModeldocsError: a layer's blobs have other shapes than its parameters.
    """
    layers = [one for one in layers if one.blobs]
    for one in layers:
        if one.layer.name in blobs:
            _check(one, blobs[one.layer.name], file)
    for one in layers:
        for value, array in _values(one, blobs.get(one.layer.name, [])):
            set_values(value, array)
    known = {one.layer.name for one in layers}
    bare = [one.layer.name for one in layers if one.layer.name not in blobs]
    spare = [name for name in blobs if name not in known]
    notes = [f"weights of {file}"]
    if bare:
        notes.append(f"{file} has no weights for {first_of(bare, MAX_NAMED)}")
    if spare:
        notes.append(
            f"{file} also has weights of {first_of(spare, MAX_NAMED)}, which the graph lacks"
        )
    return notes


def _check(one: CaffeOperation, given: Sequence[Blob], file: str) -> None:
    wanted = [shape_of(value) for value in one.parameters]
    fits = len(given) == len(wanted) and all(
        None not in shape and blob.fits(sizes(shape))
        for blob, shape in zip(given, wanted, strict=True)
    )
    if not fits:
        raise one.layer.error(
            f"has blobs of {_shapes([blob.shape for blob in given])} in {file}, the definition "
            f"gives it {_shapes(wanted)}",
            fix="put the weights beside the definition that they were trained with",
        )


def _shapes(shapes: Sequence[Dims]) -> str:
    return ", ".join(as_text(shape) for shape in shapes[:MAX_NAMED]) or "none"


def _values(one: CaffeOperation, given: Sequence[Blob]) -> list[tuple[ir.Value, np.ndarray]]:
    """Each parameter with its values; BatchNorm's statistics are divided by its third blob."""
    pairs = []
    for value, blob in zip(one.parameters, given, strict=False):
        array = blob.reshaped(sizes(shape_of(value)))
        if array is not None:
            pairs.append((value, array))
    if one.is_batch_norm and len(pairs) >= 3:
        (mean, sums), (variance, squares), (factor, divisor), *learned = pairs
        # As in Caffe, statistics that were never updated have the divisor 0 and are zeros.
        scale = np.float32(0 if divisor[0] == 0 else 1 / divisor[0])
        statistics = [(mean, sums * scale), (variance, squares * scale), (factor, divisor)]
        pairs = [*statistics, *learned]
    return pairs


def fill(layers: Iterable[CaffeOperation], designed: Designed) -> None:
    """Give every parameter of the graph its designed values."""
    for one in layers:
        for index, value in one.blobs.items():
            shape = sizes(shape_of(value))
            if one.is_batch_norm and index == FACTOR_INDEX:
                set_values(value, np.full(shape, FACTOR, np.float32))
            else:
                set_values(value, designed.parameter(str(value.name), shape))


def set_values(value: ir.Value, array: np.ndarray) -> None:
    """Give a parameter its values."""
    value.const_value = ir.tensor(np.asarray(array, order="C"), name=value.name)


def values(value: ir.Value) -> np.ndarray:
    """The values of a parameter that has some."""
    assert value.const_value is not None
    return np.asarray(value.const_value.numpy(), np.float32)


def stored(one: CaffeOperation) -> tuple[np.ndarray, ...]:
    """The blobs of a layer as a `.caffemodel` holds them."""
    arrays = [values(value) for value in one.parameters]
    if one.is_batch_norm:
        mean, variance, factor = arrays
        return (mean * factor, variance * factor, factor)
    if one.layer.type in _STORED_FLAT:
        return tuple(array.reshape(_without_trailing_ones(array.shape)) for array in arrays)
    return tuple(arrays)


def _without_trailing_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    while len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    return shape
