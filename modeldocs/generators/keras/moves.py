"""Edges of the network in Keras: reshapes, transposes, casts, constants and parameters."""

from __future__ import annotations

import ast

from modeldocs.errors import ModeldocsError
from modeldocs.generators import syntax
from modeldocs.generators.literals import nested
from modeldocs.generators.moves import Moves
from modeldocs.generators.network import Array
from modeldocs.generators.syntax import call
from modeldocs.generators.tables import TableTemplates
from modeldocs.generators.templates import cut
from modeldocs.ir import Reshape

DTYPES = (
    "float16", "bfloat16", "float32", "float64",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "bool",
)  # fmt: skip
"""The types that Keras has, which have ONNX's names."""

TABLES = TableTemplates(
    full="ops.full(shape, number)",
    ones='ops.ones((rows, columns), dtype="bool")',
    lower="ops.tril(x, k)",
    upper="ops.triu(x, k)",
    where="ops.where(places, seen, hidden)",
    inverted="ops.logical_not(places)",
    stretched="ops.broadcast_to(x, shape)",
    reshaped="ops.reshape(x, shape)",
    tiled="ops.tile(x, 2)",
    repeated="ops.repeat(x, 2, axis=1)",
    gathered="ops.take(x, places, axis=-1)",
    stacked="ops.stack(parts, axis=-1)",
    functions={"cos": "ops.cos", "sin": "ops.sin"},
)


class KerasMoves(Moves):
    """Edges, constants and parameters as Keras writes them."""

    tables = TABLES

    def written(self, array: Array) -> ast.expr:
        """A constant with its values."""
        name = str(array.dtype)
        settings = {} if name == "float32" else {"dtype": name}
        return call("ops.array", syntax.literal(nested(array)), **settings)

    def fed(self, constant: ast.expr, beside: ast.expr) -> ast.expr:
        """A layer that gives it when it is called: what layers make of an array is one, too."""
        return call(call("Constant", constant), beside)

    def parameter(self, shape: tuple[int, ...], *, trainable: bool) -> ast.expr:
        """The constructor of a parameter."""
        settings: dict[str, object] = {} if trainable else {"trainable": False}
        return call("Parameter", shape=shape, **settings)

    def held(self, member: ast.expr, beside: ast.expr) -> ast.expr:
        """A layer that holds a parameter gives it when it is called."""
        return call(member, beside)

    def sliced(self, source: ast.expr, slices: dict[int, slice]) -> ast.expr:
        """A part of a tensor."""
        return sliced(source, slices)

    def cast(self, source: ast.expr, dtype: str | None) -> ast.expr:
        """A tensor of another type."""
        return cast(source, dtype)

    def transposed(self, source: ast.expr, order: tuple[int, ...]) -> ast.expr:
        """A tensor with its axes in another order."""
        if order[0] == 0:
            return call(call("layers.Permute", syntax.literal(order[1:])), source)
        return call("ops.transpose", source, syntax.literal(order))

    def reshaped(self, source: ast.expr, step: Reshape) -> ast.expr:
        """A reshape that holds for any batch where it keeps the first axis."""
        before, after = step.before or (), step.after
        if after is None or not all(isinstance(dim, int) for dim in after):
            raise ModeldocsError("a tensor of unknown size is reshaped")
        if before[:1] == after[:1] and len(after) > 1:
            if len(after) == 2:
                return call(call("layers.Flatten"), source)
            return call(call("layers.Reshape", syntax.literal(tuple(after[1:]))), source)
        return call("ops.reshape", source, syntax.literal((-1, *after[1:]) if after else ()))


def cast(source: ast.expr, dtype: str | None) -> ast.expr:
    """A tensor of another type."""
    if dtype not in DTYPES:
        raise ModeldocsError(f"Keras has no numbers of type {dtype}")
    return call("ops.cast", source, syntax.literal(dtype))


def sliced(source: ast.expr, slices: dict[int, slice]) -> ast.expr:
    """A part of a tensor, by the slices of its axes; one backwards is a flip."""
    backwards = [axis for axis, one in slices.items() if one.step == -1]
    for axis in backwards:
        source = call("ops.flip", source, axis=axis)
    forwards = {axis: one for axis, one in slices.items() if one.step != -1}
    if set(forwards) == {0}:
        forwards[1] = slice(None)  # Keras takes no single slice
    return cut(source, forwards)
