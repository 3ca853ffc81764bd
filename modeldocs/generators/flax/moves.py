"""Edges of the network in Flax: reshapes, transposes, casts, constants and parameters."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.errors import ModeldocsError
from modeldocs.generators import syntax
from modeldocs.generators.literals import nested
from modeldocs.generators.moves import Moves
from modeldocs.generators.network import Array
from modeldocs.generators.shape_groups import shape_groups
from modeldocs.generators.syntax import call, method
from modeldocs.generators.tables import TableTemplates
from modeldocs.generators.templates import cuts, subscript
from modeldocs.ir import Reshape

DTYPES = {
    "float16": "jnp.float16",
    "bfloat16": "jnp.bfloat16",
    "float32": "jnp.float32",
    "int8": "jnp.int8",
    "int16": "jnp.int16",
    "int32": "jnp.int32",
    "int64": "int",
    "uint8": "jnp.uint8",
    "bool": "bool",
}
"""JAX's types by ONNX's; its integers of 64 bits are of 32, where nobody asked for others."""

TABLES = TableTemplates(
    full="jnp.full(shape, number)",
    ones="jnp.ones((rows, columns), bool)",
    lower="jnp.tril(x, k)",
    upper="jnp.triu(x, k)",
    where="jnp.where(places, seen, hidden)",
    inverted="~places",
    stretched="jnp.broadcast_to(x, shape)",
    reshaped="x.reshape(shape)",
    tiled="jnp.tile(x, 2)",
    repeated="jnp.repeat(x, 2, axis=1)",
    gathered="x[..., places]",
    stacked="jnp.stack(parts, axis=-1)",
    functions={"cos": "jnp.cos", "sin": "jnp.sin"},
)


_ALL = ast.Constant(value=...)
"""The index of a whole array."""


def part(source: ast.expr, items: Sequence[ast.expr]) -> ast.expr:
    """A part of a tensor; that of a whole variable is a part of the variable."""
    is_whole = isinstance(source, ast.Subscript) and ast.dump(source.slice) == ast.dump(_ALL)
    return subscript(source.value if is_whole else source, list(items))  # type: ignore[attr-defined]


class FlaxMoves(Moves):
    """Edges, constants and parameters as Flax writes them."""

    tables = TABLES

    def written(self, array: Array) -> ast.expr:
        """A constant with its values."""
        values = syntax.literal(nested(array))
        if array.dtype.kind in "iub" and str(array.dtype) not in ("int64", "int32", "bool"):
            return call("jnp.array", values, dtype=syntax.expression(_dtype(str(array.dtype))))
        return call("jnp.array", values)

    def parameter(self, shape: tuple[int, ...], *, trainable: bool) -> ast.expr:
        """The constructor of a parameter."""
        zeros = call("jnp.zeros", syntax.literal(shape))
        return call("nnx.Param" if trainable else "nnx.Variable", zeros)

    def held(self, member: ast.expr, beside: ast.expr) -> ast.expr:  # noqa: ARG002
        """The array of a variable."""
        return subscript(member, [_ALL])

    def sliced(self, source: ast.expr, slices: dict[int, slice]) -> ast.expr:
        """A part of a tensor."""
        return sliced(source, slices)

    def cast(self, source: ast.expr, dtype: str | None) -> ast.expr:
        """A tensor of another type."""
        return cast(source, dtype)

    def transposed(self, source: ast.expr, order: tuple[int, ...]) -> ast.expr:
        """A tensor with its axes in another order."""
        moved = [axis for axis, old in enumerate(order) if axis != old]
        if len(moved) == 2:
            return method(source, "swapaxes", *moved)
        return method(source, "transpose", *order)

    def reshaped(self, source: ast.expr, step: Reshape) -> ast.expr:
        """A reshape that holds for any batch where it keeps the first axis."""
        before, after = step.before, step.after
        groups = shape_groups(before, after) if before is not None and after is not None else None
        if groups is None or after is None:
            raise ModeldocsError("a tensor of unknown size is reshaped")
        old = [one for one, new in groups if not new for _ in one]
        ones = [place for place, (one, _) in enumerate(groups) if not one]
        is_plain = all(len(one) == len(new) == 1 for one, new in groups if one and new)
        if is_plain and not old:
            return call("jnp.expand_dims", source, _axes(ones))
        if is_plain and not ones:
            return squeezed(
                source, _axes([place for place, (_, new) in enumerate(groups) if not new])
            )
        if len(after) == 2 and groups[0][0] == groups[0][1] and syntax.is_value(source):
            return syntax.expression("x.reshape(x.shape[0], -1)", x=source)
        return method(source, "reshape", *((-1, *after[1:]) if after else ((),)))


def _dtype(name: str | None) -> str:
    if name not in DTYPES:
        raise ModeldocsError(f"JAX has no numbers of type {name} where it is not told to")
    return DTYPES[name]


def cast(source: ast.expr, dtype: str | None) -> ast.expr:
    """A tensor of another type."""
    return method(source, "astype", syntax.expression(_dtype(dtype)))


def _axes(axes: Sequence[int]) -> ast.expr:
    return syntax.literal(axes[0] if len(axes) == 1 else tuple(axes))


def squeezed(source: ast.expr, axes: ast.expr) -> ast.expr:
    """A tensor without axes of size 1."""
    return method(source, "squeeze", axes)


def sliced(source: ast.expr, slices: dict[int, slice]) -> ast.expr:
    """A part of a tensor, by the slices of its axes; one backwards is a flip."""
    backwards = [axis for axis, one in slices.items() if one.step == -1]
    if backwards:
        source = call("jnp.flip", source, _axes(backwards))
    forwards = {axis: one for axis, one in slices.items() if one.step != -1}
    return part(source, cuts(forwards)) if forwards else source
