"""Einstein sums of two tensors, as matrix products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder, permuted


@dataclass(frozen=True)
class _Letters:
    """The letters of an equation by their role, and their sizes."""

    left: str
    right: str
    out: str
    sizes: dict[str, int | ir.SymbolicDim]

    @property
    def batch(self) -> str:
        return "".join(c for c in self.out if c in self.left and c in self.right)

    @property
    def rows(self) -> str:
        """In the first operand's order if that is ready for a product, else in the output's."""
        rows = "".join(c for c in self.left if c in self.out and c not in self.right)
        if self.left == self.batch + rows + self.summed:
            return rows
        return "".join(c for c in self.out if c in rows)

    @property
    def groups(self) -> str:
        """Rows but the last, where both operands have a batch.

        Heads of queries that share a head of keys are such a group.
        """
        batched = self.left[0] == self.right[0] == self.out[0]
        return self.rows[:-1] if batched else ""

    @property
    def columns(self) -> str:
        return "".join(c for c in self.out if c in self.right and c not in self.left)

    @property
    def summed(self) -> str:
        return "".join(c for c in self.left if c in self.right and c not in self.out)


def matrix_product(node: ir.Node, builder: GraphBuilder) -> bool:
    """Einsum as transposed and reshaped operands, a MatMul, and its output rearranged."""
    letters = _letters(node) if values.is_operator(node, "Einsum") else None
    if letters is None:
        return False
    first, second = node.inputs
    assert first is not None and second is not None
    batch, columns, summed = [*letters.batch], letters.columns, letters.summed
    groups = letters.groups
    rows = letters.rows[len(groups) :]
    emitter = _Emitter(node, builder, letters.sizes)
    if batch:
        a = emitter.arranged(first, letters.left, [*batch, *groups, rows, summed])
        b = emitter.arranged(second, letters.right, [*batch, *groups, summed, columns])
    else:
        a = emitter.arranged(first, letters.left, [*rows, summed])
        b = emitter.arranged(second, letters.right, [summed, columns])
    axes = [*batch, *groups, rows, columns] if batch else [*rows, columns]
    product = emitter.product(a, b, axes)
    single = "".join(axes)
    result = emitter.reshaped(product, axes, single)
    result = emitter.transposed(result, single, letters.out)
    emitter.finish(result)
    return True


def _letters(node: ir.Node) -> _Letters | None:
    """The equation's letters; None where it is no matrix product."""
    equation = str(values.attribute(node, "equation", "")).replace(" ", "")
    sources, arrow, out = equation.partition("->")
    operands = sources.split(",")
    if not arrow or len(operands) != 2 or len(node.inputs) != 2 or "." in equation:
        return None
    sizes: dict[str, int | ir.SymbolicDim] = {}
    for value, subscripts in zip(node.inputs, operands, strict=True):
        if value is None or value.shape is None or len(value.shape) != len(subscripts):
            return None
        if len(set(subscripts)) != len(subscripts):
            return None
        for letter, size in zip(subscripts, value.shape, strict=True):
            if isinstance(size, int) or letter not in sizes:
                sizes[letter] = size
    letters = _Letters(operands[0], operands[1], out, sizes)
    used = {*letters.batch, *letters.rows, *letters.columns, *letters.summed}
    if not used == set(sizes) == set(operands[0] + operands[1]) or not set(out) <= used:
        return None
    if not (letters.summed and letters.columns and letters.rows):
        return None
    symbolic = [size for size in sizes.values() if not isinstance(size, int)]
    return letters if len(symbolic) <= 1 else None


class _Emitter:
    """Inserts the nodes of one product before the Einsum that they replace."""

    def __init__(
        self, node: ir.Node, builder: GraphBuilder, sizes: dict[str, int | ir.SymbolicDim]
    ) -> None:
        self.node, self.builder, self.sizes = node, builder, sizes

    def arranged(self, value: ir.Value, letters: str, groups: Sequence[str]) -> ir.Value:
        """A tensor with an axis for each group of letters, of size 1 for groups that it lacks."""
        own_groups = ["".join(c for c in group if c in letters) for group in groups]
        single = "".join(own_groups)
        return self.reshaped(self.transposed(value, letters, single), list(single), own_groups)

    def transposed(self, value: ir.Value, before: str, after: str) -> ir.Value:
        """A tensor with its axes in another order."""
        if before == after:
            return value
        order = tuple(before.index(letter) for letter in after)
        transpose = self.builder.transpose(value, order)
        transpose.outputs[0].shape = permuted(value.shape, order)
        return self.builder.before(self.node, transpose)

    def reshaped(self, value: ir.Value, before: Sequence[str], after: Sequence[str]) -> ir.Value:
        """A tensor with axes merged or split: groups of letters `before` and `after`."""
        if list(before) == list(after):
            return value
        sizes = [self._size(group) for group in after]
        target = self.builder.numbers(
            [size if isinstance(size, int) else -1 for size in sizes], "einsum/shape"
        )
        reshape = self.builder.node("Reshape", [value, target], like=value, shape=sizes)
        return self.builder.before(self.node, reshape)

    def product(self, a: ir.Value, b: ir.Value, groups: Sequence[str]) -> ir.Value:
        """The matrix product, with the origins of the Einsum."""
        sizes = [self._size(group) for group in groups]
        product = self.builder.node("MatMul", [a, b], like=self.node.outputs[0], shape=sizes)
        origin.merge(product, self.node)
        return self.builder.before(self.node, product)

    def _size(self, group: str) -> int | ir.SymbolicDim:
        sizes = [self.sizes[letter] for letter in group]
        numbers = [size for size in sizes if isinstance(size, int)]
        if len(numbers) == len(sizes):
            return math.prod(numbers)
        return sizes[0] if len(sizes) == 1 else ir.SymbolicDim(None)

    def finish(self, result: ir.Value) -> None:
        """Replace the Einsum's output by the result, which gets its name."""
        old = self.node.outputs[0]
        name, graph = old.name, self.builder.graph
        ir.convenience.replace_all_uses_with(old, result, replace_graph_outputs=True)
        graph.remove(self.node, safe=True)
        result.name = name
