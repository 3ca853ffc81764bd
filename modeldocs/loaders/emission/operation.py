"""What an emitter works with in every loader: a layer of the source, and the nodes made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import onnx_ir as ir

from modeldocs.loaders.dims import Dims, as_text, sizes
from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.inference import shape_of

Outputs = Sequence[ir.Value]
_Shape = TypeVar("_Shape", bound=Dims)


class Operation(NodeBuilder):
    """One layer of the source: its kind, what it reads, and the nodes emitted for it so far.

    Loaders inherit it; theirs know the settings as well. `inputs` are what it reads, in order.
    """

    inputs: list[Any]
    reads: str = "inputs"
    """What the framework calls what a layer reads."""
    fix: str = "reshape what it reads"
    """What helps where an input has too few dimensions."""

    @property
    def kind(self) -> str:
        """The framework's own name of what the layer computes."""
        raise NotImplementedError

    def input(self, index: int = 0) -> ir.Value:
        """A value that the layer reads.

        Raises:
            ModeldocsError: it reads fewer.
        """
        self.check_count(index)
        value: ir.Value = self.inputs[index]
        return value

    def check_count(self, index: int) -> None:
        """An error where the layer has no input of this index."""
        if index >= len(self.inputs):
            raise self.error(
                f"has {len(self.inputs)} {self.reads}, it takes {index + 1}", fix="add the input"
            )

    def shape(self, index: int = 0, *, least: int = 0) -> Dims:
        """Dimensions of an input, which must have at least so many."""
        return self.with_rank(shape_of(self.input(index)), index, least)

    def with_rank(self, shape: _Shape, index: int, least: int) -> _Shape:
        """The shape of an input, or an error where it has too few dimensions."""
        if len(shape) < least:
            raise self.too_few(shape, index, least)
        return shape

    def too_few(self, shape: Dims, index: int, least: int) -> Exception:  # noqa: ARG002
        """The error to raise where an input has too few dimensions."""
        return self.error(f"reads {as_text(shape)}, it takes {least} dimensions", fix=self.fix)

    def sizes(self, index: int = 0, *, least: int = 0) -> tuple[int, ...]:
        """As `shape`, every dimension known."""
        return sizes(self.shape(index, least=least))

    def checked_axis(self, axis: int, rank: int, name: str = "axis") -> int:
        """An axis of a tensor with `rank` dimensions, counted from the front."""
        if not -rank <= axis < rank:
            raise self.error(
                f"names with `{name}` the axis {axis} of a tensor with {rank} dimensions",
                fix=f"use an axis from {-rank} to {rank - 1}",
            )
        return axis % rank
