"""Bytes that a layer moves at least once: what its arithmetic intensity is counted with."""

from __future__ import annotations

from modeldocs.ir import Layer, TensorType
from modeldocs.struct import Struct


class MovedBytes(Struct, frozen=True):
    """Bytes of a layer's inputs and outputs together, and those of its parameters.

    The first grow with the batch. None where one of them is not known.
    """

    activations: int | None
    parameters: int | None

    @property
    def total(self) -> int | None:
        """All of them; None where some are not known."""
        if self.activations is None or self.parameters is None:
            return None
        return self.activations + self.parameters


def moved_bytes(layer: Layer) -> MovedBytes:
    """What a layer moves at the shapes of its graph."""
    read = (operand.type for operand in layer.inputs)
    stored = (TensorType(shape=one.shape, dtype=one.dtype) for one in layer.parameters)
    return MovedBytes(activations=_sum((*read, *layer.outputs)), parameters=_sum(tuple(stored)))


def _sum(tensors: tuple[TensorType, ...]) -> int | None:
    known = [tensor.bytes for tensor in tensors if tensor.bytes is not None]
    return sum(known) if len(known) == len(tensors) else None
