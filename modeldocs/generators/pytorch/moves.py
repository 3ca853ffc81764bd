"""Edges of the network in PyTorch: reshapes, transposes, casts, constants and parameters."""

from __future__ import annotations

import ast

from modeldocs.errors import ModeldocsError
from modeldocs.generators import syntax
from modeldocs.generators.literals import nested
from modeldocs.generators.moves import Moves
from modeldocs.generators.network import Array
from modeldocs.generators.shape_groups import shape_groups
from modeldocs.generators.tables import TableTemplates
from modeldocs.generators.templates import cut
from modeldocs.ir import Reshape

DTYPES = {
    "float16": "torch.float16",
    "bfloat16": "torch.bfloat16",
    "float32": "torch.float32",
    "float64": "torch.float64",
    "int8": "torch.int8",
    "int16": "torch.int16",
    "int32": "torch.int32",
    "int64": "torch.int64",
    "uint8": "torch.uint8",
    "bool": "torch.bool",
}
"""PyTorch's types by ONNX's."""

TABLES = TableTemplates(
    full="torch.full(shape, number)",
    ones="torch.ones(rows, columns, dtype=torch.bool)",
    lower="x.tril(k)",
    upper="x.triu(k)",
    where="torch.where(places, seen, hidden)",
    inverted="~places",
    stretched="x.expand(shape)",
    reshaped="x.reshape(shape)",
    tiled="x.tile(2)",
    repeated="x.repeat_interleave(2, dim=1)",
    gathered="x[..., places]",
    stacked="torch.stack(parts, dim=-1)",
    functions={"cos": "torch.cos", "sin": "torch.sin"},
)


class PyTorchMoves(Moves):
    """Edges, constants and parameters as PyTorch writes them."""

    tables = TABLES

    def written(self, array: Array) -> ast.expr:
        """A constant with its values."""
        dtype = DTYPES.get(str(array.dtype))
        if array.dtype.kind in "iub" and array.dtype.itemsize != 8 and array.dtype.kind != "b":
            return syntax.expression(f"torch.tensor(values, dtype={dtype})", values=nested(array))
        return syntax.expression("torch.tensor(values)", values=nested(array))

    def parameter(self, shape: tuple[int, ...], *, trainable: bool) -> ast.expr:
        """The constructor of a parameter."""
        zeros = syntax.expression("torch.zeros(*shape)", shape=ast.Name(id="shape"))
        zeros.args = [syntax.literal(dim) for dim in shape]  # type: ignore[attr-defined]
        if trainable:
            return syntax.call("nn.Parameter", zeros)
        # A buffer would be a constant of zeros, where it is a tensor that a checkpoint has.
        return syntax.call("nn.Parameter", zeros, requires_grad=False)

    def held(self, member: ast.expr, beside: ast.expr) -> ast.expr:  # noqa: ARG002
        """A parameter is a tensor itself."""
        return member

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
            return syntax.method(source, "transpose", *moved)
        return syntax.method(source, "permute", *order)

    def reshaped(self, source: ast.expr, step: Reshape) -> ast.expr:
        """A reshape as flatten, unflatten, squeeze and unsqueeze, which hold for any batch."""
        before, after = step.before, step.after
        groups = shape_groups(before, after) if before is not None and after is not None else None
        if groups is None:
            raise ModeldocsError("a tensor of unknown size is reshaped")
        axis = 0
        for place, (old, new) in enumerate(groups):
            is_last = place == len(groups) - 1
            source = _regrouped(source, axis, old, new, is_last=is_last)
            axis += len(new)
        return source


def cast(source: ast.expr, dtype: str | None) -> ast.expr:
    """A tensor of another type."""
    if dtype not in DTYPES:
        raise ModeldocsError(f"PyTorch has no numbers of type {dtype}")
    if dtype == "float32":
        return syntax.method(source, "float")
    return syntax.method(source, "to", syntax.expression(DTYPES[dtype]))


def _regrouped(
    source: ast.expr, axis: int, old: tuple[int, ...], new: tuple[int, ...], *, is_last: bool
) -> ast.expr:
    """The axes of sizes `old`, from `axis` on, as axes of sizes `new`."""
    if old == new:
        return source
    if not new:
        return syntax.method(source, "squeeze", axis)
    if not old:
        return syntax.method(source, "unsqueeze", axis)
    if len(old) > 1:
        end = () if is_last else (axis + len(old) - 1,)
        source = syntax.method(source, "flatten", axis, *end)
    if len(new) > 1:
        source = syntax.method(source, "unflatten", axis, new)
    return source


def sliced(source: ast.expr, slices: dict[int, slice]) -> ast.expr:
    """A part of a tensor, by the slices of its axes; one backwards is a flip."""
    backwards = [axis for axis, one in slices.items() if one.step == -1]
    if backwards:
        source = syntax.method(source, "flip", *backwards)
    forwards = {axis: one for axis, one in slices.items() if one.step != -1}
    return cut(source, forwards)
