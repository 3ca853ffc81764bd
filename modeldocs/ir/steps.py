"""Steps on an edge: what happens to a tensor between the layer that makes it and one that reads it.

They move or relabel elements, or change their type, and compute nothing.
"""

from __future__ import annotations

from modeldocs.ir.tensor import Shape
from modeldocs.struct import Struct


class Reshape(Struct, frozen=True, tag="Reshape", tag_field="step"):
    """Another shape over the same elements in the same order.

    `operator` is the ONNX operator: `Reshape`, `Flatten`, `Squeeze` or `Unsqueeze`. A shape is None
    where its rank is not known.
    """

    before: Shape | None
    after: Shape | None
    operator: str = "Reshape"


class Transpose(Struct, frozen=True, tag="Transpose", tag_field="step"):
    """Axes in another order: axis i of the result is axis `permutation[i]` of the tensor.

    `permutation` is None where ONNX gives none, which reverses the axes, and the rank is not known.
    """

    permutation: tuple[int, ...] | None


class Cast(Struct, frozen=True, tag="Cast", tag_field="step"):
    """Elements of another type; None where the type is not known."""

    dtype: str | None


Step = Reshape | Transpose | Cast
