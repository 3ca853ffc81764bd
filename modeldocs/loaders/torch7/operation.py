"""The context in which an emitter turns one module into ONNX nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim, origin
from modeldocs.loaders.dims import as_text, product
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.emission.operation import Operation
from modeldocs.loaders.torch7.program import LuaModule

DOMAIN = "torch7"
MAX_VALUES = 2**31

Shape = Sequence[int]
Flow = ir.Value | list[Any]
"""What modules pass to each other: a tensor, or a table of tensors and tables."""

Emit = Callable[["TorchOperation"], Flow]
EMITTERS = Emitters[Emit]()
emits = EMITTERS.emits
renames = EMITTERS.renames


def shape_of(value: ir.Value) -> tuple[int, ...]:
    """The shape of a value; this loader knows all of them."""
    return tuple(int(dim) for dim in value.shape or ())  # type: ignore[arg-type]


def tensors(flow: Flow) -> list[ir.Value]:
    """The tensors of a flow, those of nested tables in order."""
    if not isinstance(flow, list):
        return [flow]
    return [value for item in flow for value in tensors(item)]


class TorchOperation(Operation):
    """A module, its input, and the nodes and parameters added for it so far.

    `shared` looks up a parameter of an earlier module by role (`weight`, `bias`), where this
    module shares its parameters. `declared` are the parameters that it adds itself.
    """

    domain = DOMAIN
    is_bounded = True

    def __init__(
        self,
        module: LuaModule,
        flow: Flow,
        provenance: origin.Provenance,
        file: str,
        shared: Callable[[str], ir.Value | None],
    ) -> None:
        super().__init__(provenance)
        self.module = module
        self.flow = flow
        self.file = file
        self.declared: dict[str, ir.Value] = {}
        self._shared = shared

    @property
    def kind(self) -> str:
        """The class of the module, or that of Torch7's own which it derives from."""
        return self.module.builtin

    def input(self, index: int = 0) -> ir.Value:  # noqa: ARG002
        """The input of a module that reads one tensor."""
        if isinstance(self.flow, list):
            raise self.error(
                f"reads a table of {len(self.flow)} tensors, it takes one tensor",
                "join the table with nn.JoinTable or nn.CAddTable before it",
            )
        return self.flow

    @property
    def table(self) -> list[ir.Value]:
        """The tensors of the table that the module reads, at least one."""
        if not isinstance(self.flow, list) or any(isinstance(item, list) for item in self.flow):
            what = "one tensor" if not isinstance(self.flow, list) else "a table of tables"
            raise self.error(
                f"reads {what}, it takes a table of tensors",
                "make one with nn.ConcatTable before it",
            )
        if not self.flow:
            raise self.error("reads an empty table", "add modules to the container before it")
        return self.flow

    def shape(self, index: int = 0, *, least: int = 1) -> tuple[int, ...]:
        """Shape of the input tensor, which must have at `least` this rank."""
        shape = shape_of(self.input(index))
        if len(shape) < least:
            raise self.error(
                f"reads {as_text(shape)}, it takes {least} dimensions with that of the batch",
                "check the modules before it, or the shape of the input",
            )
        return shape

    def number(self, field: str, default: float | None = None) -> float:
        """A field that holds a number."""
        value = self.module.fields.get(field, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(f"has {_quoted(value)} as {field}", f"give {field} as a number")
        return float(value)

    def integer(self, field: str, default: int | None = None, *, least: int = 0) -> int:
        """A field that holds a whole number from `least` up."""
        value = self.number(field, default)
        if value != int(value) or not least <= value < MAX_VALUES:
            raise self.error(
                f"has {value:g} as {field}", f"give a whole number of at least {least}"
            )
        return int(value)

    def optional(self, field: str) -> int | None:
        """A field that holds a whole number of either sign; None where it is missing."""
        if self.module.fields.get(field) is None:
            return None
        return self.integer(field, least=-MAX_VALUES)

    def flag(self, field: str, *, default: bool = False) -> bool:
        """A field that holds true or false."""
        value = self.module.fields.get(field, default)
        return default if value is None else bool(value)

    def integers_of(self, field: str) -> list[int]:
        """A field that holds a list of whole numbers."""
        value = self.module.fields.get(field)
        items = value if isinstance(value, list) else []
        if not items or any(isinstance(i, bool) or not isinstance(i, int) for i in items):
            raise self.error(f"has {_quoted(value)} as {field}", "give whole numbers")
        return list(items)

    def parameter(self, role: str, shape: Shape, *, trainable: bool = True) -> ir.Value:
        """The shared parameter of this role, else a new one in Torch7's own layout."""
        self.possible(tuple(shape))
        known = self._shared(role)
        if known is None:
            self.declared[role] = self.declare(f"{self.name}.{role}", shape, trainable=trainable)
            return self.declared[role]
        if shape_of(known) != tuple(shape):
            raise self.error(
                f"shares a {role} of {as_text(shape_of(known))}, its own is {as_text(shape)}",
                "share parameters between modules of one kind only",
            )
        return known

    def bias(self, shape: Shape) -> ir.Value | None:
        """The module's bias; None where it has none."""
        return self.parameter("bias", shape) if self.module.has_parameter("bias") else None

    def reshape(self, value: ir.Value, shape: Sequence[Dim]) -> ir.Value:
        """The same elements in another shape of as many."""
        if math.prod(shape_of(value)) != product(shape):
            raise self.error(
                f"cannot make {as_text(shape)} of {as_text(shape_of(value))}",
                "check its sizes against what it reads",
            )
        return super().reshape(value, shape)

    def axis(self, dimension: int, rank: int) -> int:
        """The axis, counted from 0, of a dimension that Lua counts from 1 or from the back."""
        axis = dimension - 1 if dimension > 0 else rank + dimension
        if dimension == 0 or not 0 <= axis < rank:
            raise self.error(
                f"names dimension {dimension} of a tensor with {rank}", f"use one from 1 to {rank}"
            )
        return axis

    def axis_of(self, field: str, default: int | None = None, *, value: ir.Value) -> int:
        """The axis of a value that a field names."""
        return self.axis(self.integer(field, default, least=-8), len(shape_of(value)))

    def item_axis(self, field: str, default: int | None = None, *, rank: int) -> int:
        """The axis that a field names, which counts without the batch where `nInputDims` says so.

        A dimension counted from the back is the same with a batch and without.
        """
        dimension, dims = self.integer(field, default, least=-8), self.optional("nInputDims")
        batched = dimension > 0 and dims is not None and rank == dims + 1
        return self.axis(dimension + batched, rank)

    def opaque(self, shapes: Sequence[Shape] | None = None) -> Flow:
        """A node of Torch7's own domain, with the module's fields as attributes.

        `shapes` are those of its outputs; where missing, one output like the first input.
        """
        inputs = tensors(self.flow)
        shapes = shapes if shapes is not None else [shape_of(inputs[0]) if inputs else (1,)]
        kind = self.module.type.rsplit(".", 1)[-1] or "Module"
        values = self.foreign(kind, inputs, shapes, self.module.settings)
        return values[0] if len(values) == 1 else list(values)

    def error(self, reason: str, fix: str) -> ModeldocsError:
        """The error to raise, naming the module and its line."""
        return self.module.error(reason, fix, path=self.provenance.name, file=self.file)


def _quoted(value: Any) -> str:
    return "nothing" if value is None else repr(value)[:60]
