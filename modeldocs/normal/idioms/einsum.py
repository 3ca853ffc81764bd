"""Einstein sums of two tensors, as the matrix product that they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.builder import Builder, permuted


@dataclass(frozen=True)
class _Letters:
    """The letters of an equation by what happens to them; sizes by letter."""

    left: str
    right: str
    out: str
    sizes: dict[str, int | ir.SymbolicDim]

    @property
    def batch(self) -> str:
        return "".join(c for c in self.out if c in self.left and c in self.right)

    @property
    def rows(self) -> str:
        """In the order of the first operand where that is in order for a product as it is."""
        rows = "".join(c for c in self.left if c in self.out and c not in self.right)
        if self.left == self.batch + rows + self.summed:
            return rows
        return "".join(c for c in self.out if c in rows)

    @property
    def groups(self) -> str:
        """Rows but for the last, where both operands are of one batch.

        Several heads of queries are such a group, where they share one of keys.
        """
        batched = self.left[0] == self.right[0] == self.out[0]
        return self.rows[:-1] if batched else ""

    @property
    def columns(self) -> str:
        return "".join(c for c in self.out if c in self.right and c not in self.left)

    @property
    def summed(self) -> str:
        return "".join(c for c in self.left if c in self.right and c not in self.out)


def product(node: ir.Node, builder: Builder) -> bool:
    """Both operands with their axes in order, a product of matrices, and its axes in order."""
    letters = _letters(node) if values.is_operator(node, "Einsum") else None
    if letters is None:
        return False
    first, second = node.inputs
    assert first is not None and second is not None
    batch, columns, summed = [*letters.batch], letters.columns, letters.summed
    groups = letters.groups
    rows = letters.rows[len(groups) :]
    making = _Making(node, builder, letters.sizes)
    if batch:
        a = making.arranged(first, letters.left, [*batch, *groups, rows, summed])
        b = making.arranged(second, letters.right, [*batch, *groups, summed, columns])
    else:
        a = making.arranged(first, letters.left, [*rows, summed])
        b = making.arranged(second, letters.right, [summed, columns])
    made = [*batch, *groups, rows, columns] if batch else [*rows, columns]
    multiplied = making.product(a, b, made)
    plain = "".join(made)
    result = making.reshaped(multiplied, made, plain)
    result = making.transposed(result, plain, letters.out)
    making.finish(result)
    return True


def _letters(node: ir.Node) -> _Letters | None:
    """The equation's letters; None for one that is no product of matrices."""
    equation = str(values.attribute(node, "equation", "")).replace(" ", "")
    sources, arrow, out = equation.partition("->")
    operands = sources.split(",")
    if not arrow or len(operands) != 2 or len(node.inputs) != 2 or "." in equation:
        return None
    sizes: dict[str, int | ir.SymbolicDim] = {}
    for value, told in zip(node.inputs, operands, strict=True):
        if value is None or value.shape is None or len(value.shape) != len(told):
            return None
        if len(set(told)) != len(told):
            return None
        for letter, size in zip(told, value.shape, strict=True):
            if isinstance(size, int) or letter not in sizes:
                sizes[letter] = size
    letters = _Letters(operands[0], operands[1], out, sizes)
    used = {*letters.batch, *letters.rows, *letters.columns, *letters.summed}
    open_sizes = [size for size in sizes.values() if not isinstance(size, int)]
    whole = used == set(sizes) == set(operands[0] + operands[1]) and set(out) <= used
    fits = letters.summed and letters.columns and (letters.rows or not letters.batch)
    return letters if whole and fits and letters.rows and len(open_sizes) <= 1 else None


class _Making:
    """Puts the nodes of one product in front of the Einsum that they replace."""

    def __init__(
        self, node: ir.Node, builder: Builder, sizes: dict[str, int | ir.SymbolicDim]
    ) -> None:
        self.node, self.builder, self.sizes = node, builder, sizes

    def arranged(self, value: ir.Value, letters: str, groups: Sequence[str]) -> ir.Value:
        """A tensor with an axis for each group of letters, of one element for those it lacks."""
        held = ["".join(c for c in group if c in letters) for group in groups]
        wanted = "".join(held)
        return self.reshaped(self.transposed(value, letters, wanted), list(wanted), held)

    def transposed(self, value: ir.Value, letters: str, wanted: str) -> ir.Value:
        """A tensor with its axes in another order."""
        if letters == wanted:
            return value
        order = tuple(letters.index(letter) for letter in wanted)
        made = self.builder.transpose(value, order)
        made.outputs[0].shape = permuted(value.shape, order)
        return self.builder.before(self.node, made)

    def reshaped(self, value: ir.Value, held: Sequence[str], wanted: Sequence[str]) -> ir.Value:
        """A tensor with axes joined, or taken apart again."""
        if list(held) == list(wanted):
            return value
        sizes = [self._size(group) for group in wanted]
        target = self.builder.numbers(
            [size if isinstance(size, int) else -1 for size in sizes], "einsum/shape"
        )
        made = self.builder.node("Reshape", [value, target], like=value, shape=sizes)
        return self.builder.before(self.node, made)

    def product(self, a: ir.Value, b: ir.Value, groups: Sequence[str]) -> ir.Value:
        """The product of matrices, with what the Einsum carried."""
        sizes = [self._size(group) for group in groups]
        made = self.builder.node("MatMul", [a, b], like=self.node.outputs[0], shape=sizes)
        origin.merge(made, self.node)
        return self.builder.before(self.node, made)

    def _size(self, group: str) -> int | ir.SymbolicDim:
        sizes = [self.sizes[letter] for letter in group]
        numbers = [size for size in sizes if isinstance(size, int)]
        if len(numbers) == len(sizes):
            return math.prod(numbers)
        return next(s for s in sizes if not isinstance(s, int)) if len(sizes) == 1 else _open()

    def finish(self, result: ir.Value) -> None:
        """The result in place of the Einsum's, under its name."""
        old = self.node.outputs[0]
        name, graph = old.name, self.builder.graph
        ir.convenience.replace_all_uses_with(old, result, replace_graph_outputs=True)
        graph.remove(self.node, safe=True)
        result.name = name


def _open() -> ir.SymbolicDim:
    return ir.SymbolicDim(None)
