"""What a target writes for what lies on edges, and for tensors that no layer computes."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence

from modeldocs.errors import ModeldocsError
from modeldocs.generators.network import Array
from modeldocs.generators.short_forms import ShortForms
from modeldocs.generators.tables import TableTemplates
from modeldocs.ir import Cast, Reshape, Step, Transpose


class Moves(ABC):
    """Edges, constants and parameters as a target writes them; `tables` are those of large ones."""

    tables: TableTemplates

    def moved(self, source: ast.expr, steps: Sequence[Step]) -> ast.expr:
        """A tensor after the steps of an edge.

        Raises:
            ModeldocsError: the rank or the size of a tensor is unknown, or a type is.
        """
        for step in steps:
            if isinstance(step, Cast):
                source = self.cast(source, step.dtype)
            elif isinstance(step, Reshape):
                source = self.reshaped(source, step)
            else:
                source = self.transposed(source, _order(step))
        return source

    def constant(self, array: Array) -> ast.expr:
        """A constant: a large one is computed by the law of its values, or of smaller ones.

        Raises:
            ModeldocsError: it is too large to be written out, and follows no law.
        """
        found = ShortForms(self.tables, self.written).of(array)
        if found is None:
            raise ModeldocsError(f"a constant of {array.size:,} values follows no law")
        return found

    def fed(self, constant: ast.expr, beside: ast.expr) -> ast.expr:  # noqa: ARG002
        """A constant that a layer reads, beside a computed tensor: itself, or what stands for it
        in a framework that records what is computed of inputs.
        """
        return constant

    @abstractmethod
    def written(self, array: Array) -> ast.expr:
        """A constant with its values."""

    @abstractmethod
    def transposed(self, source: ast.expr, order: tuple[int, ...]) -> ast.expr:
        """A tensor with its axes in another order."""

    @abstractmethod
    def reshaped(self, source: ast.expr, step: Reshape) -> ast.expr:
        """A tensor in another shape, for any batch where the first axis stays.

        Raises:
            ModeldocsError: a size is unknown.
        """

    @abstractmethod
    def cast(self, source: ast.expr, dtype: str | None) -> ast.expr:
        """A tensor of another type.

        Raises:
            ModeldocsError: the target has no such type.
        """

    @abstractmethod
    def parameter(self, shape: tuple[int, ...], *, trainable: bool) -> ast.expr:
        """The constructor of a parameter of that shape."""

    @abstractmethod
    def held(self, member: ast.expr, beside: ast.expr) -> ast.expr:
        """The tensor of a member that is a parameter, read beside a computed tensor."""

    @abstractmethod
    def sliced(self, source: ast.expr, slices: dict[int, slice]) -> ast.expr:
        """A part of a tensor, by the slices of its axes."""


def _order(step: Transpose) -> tuple[int, ...]:
    if step.permutation is None:
        raise ModeldocsError("a tensor of unknown rank is transposed")
    return step.permutation
