"""Steps on an edge: changes of shape, of the order of axes or of type between two layers."""

from __future__ import annotations

from modeldocs.ir.tensor import Shape
from modeldocs.struct import Struct


class Reshape(Struct, frozen=True, tag="Reshape", tag_field="step"):
    """A change of shape, with the same elements in the same order.

    `operator` is the ONNX operator: `Reshape`, `Flatten`, `Squeeze` or `Unsqueeze`. A shape is None
    where its rank is unknown.
    """

    before: Shape | None
    after: Shape | None
    operator: str = "Reshape"


class Transpose(Struct, frozen=True, tag="Transpose", tag_field="step"):
    """A change of the order of axes: axis i of the result is axis `permutation[i]` of the tensor.

    `permutation` is None where the axes are reversed (ONNX has no `perm`) and the rank is unknown.
    """

    permutation: tuple[int, ...] | None


class Cast(Struct, frozen=True, tag="Cast", tag_field="step"):
    """A change of the element type; None where the type is unknown."""

    dtype: str | None


Step = Reshape | Transpose | Cast
