"""A module while it is turned into ONNX nodes: what an emit function works with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim, origin
from modeldocs.loaders.dims import Dims, product, said
from modeldocs.loaders.emission.builder import Builder
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.torch7.recording import Module

DOMAIN = "torch7"
MAX_VALUES = 2**31

Shape = Sequence[int]
Flow = ir.Value | list[Any]
"""What goes from module to module: a tensor, or a table of such."""

Emit = Callable[["Layer"], Flow]
EMITTERS = Emitters[Emit]()
emits = EMITTERS.emits


def shape_of(value: ir.Value) -> tuple[int, ...]:
    """The shape of a value, which all of this loader's have."""
    return tuple(int(dim) for dim in value.shape or ())  # type: ignore[arg-type]


class Layer(Builder):
    """A module, what it reads, and the nodes and initializers made for it so far.

    `shared` holds the parameters of the modules before, by the module that has them and role.
    """

    domain = DOMAIN

    def __init__(
        self,
        module: Module,
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
    def input(self) -> ir.Value:
        """The only tensor that the module reads."""
        if isinstance(self.flow, list):
            raise self.error(
                f"reads a table of {len(self.flow)} tensors, it takes one tensor",
                "join the table with nn.JoinTable or nn.CAddTable before it",
            )
        return self.flow

    @property
    def table(self) -> list[ir.Value]:
        """The tensors of the table that the module reads."""
        if not isinstance(self.flow, list) or any(isinstance(item, list) for item in self.flow):
            what = "one tensor" if not isinstance(self.flow, list) else "a table of tables"
            raise self.error(
                f"reads {what}, it takes a table of tensors",
                "make one with nn.ConcatTable before it",
            )
        if not self.flow:
            raise self.error("reads an empty table", "add modules to the container before it")
        return self.flow

    def shape(self, *, least: int = 1) -> tuple[int, ...]:
        """Shape of the tensor, of at least some dimensions."""
        shape = shape_of(self.input)
        if len(shape) < least:
            raise self.error(
                f"reads {said(shape)}, it takes {least} dimensions with that of the batch",
                "check the modules before it, or the shape of the input",
            )
        return shape

    def number(self, field: str, default: float | None = None) -> float:
        """A field that holds a number."""
        value = self.module.fields.get(field, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(f"has {_told(value)} as {field}", f"give {field} as a number")
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
        """A whole number, of either sign, that may be missing."""
        if self.module.fields.get(field) is None:
            return None
        return self.integer(field, least=-MAX_VALUES)

    def flag(self, field: str, *, default: bool = False) -> bool:
        """A field that holds true or false."""
        value = self.module.fields.get(field, default)
        return default if value is None else bool(value)

    def listed(self, field: str) -> list[int]:
        """A field that holds a list of whole numbers."""
        value = self.module.fields.get(field)
        items = value if isinstance(value, list) else []
        if not items or any(isinstance(i, bool) or not isinstance(i, int) for i in items):
            raise self.error(f"has {_told(value)} as {field}", "give whole numbers")
        return list(items)

    def possible(self, shape: Dims) -> Dims:
        """A shape that a tensor can have."""
        if any(not isinstance(d, int) or d < 1 for d in shape) or not _fits(shape):
            raise self.error(
                f"would give {said(shape)}", "check its settings against what it reads"
            )
        return shape

    def parameter(self, role: str, shape: Shape, *, trainable: bool = True) -> ir.Value:
        """Declare a parameter in Torch7's own layout, or take the one that is shared."""
        self.possible(tuple(shape))
        known = self._shared(role)
        if known is not None:
            if shape_of(known) != tuple(shape):
                raise self.error(
                    f"shares a {role} of {said(shape_of(known))}, its own is {said(shape)}",
                    "share parameters between modules of one kind only",
                )
            return known
        value = self.declare(f"{self.name}.{role}", shape, trainable=trainable)
        self.declared[role] = value
        return value

    def reshape(self, value: ir.Value, shape: Sequence[Dim]) -> ir.Value:
        """The same elements in another shape."""
        if math.prod(shape_of(value)) != product(shape):
            raise self.error(
                f"cannot make {said(shape)} of {said(shape_of(value))}",
                "check its sizes against what it reads",
            )
        return super().reshape(value, shape)

    def axis(self, dim: int, rank: int) -> int:
        """An axis counted from 0, of one that Lua counts from 1 or from the back."""
        place = dim - 1 if dim > 0 else rank + dim
        if dim == 0 or not 0 <= place < rank:
            raise self.error(
                f"names dimension {dim} of a tensor with {rank}", f"use one from 1 to {rank}"
            )
        return place

    def opaque(self, shapes: Sequence[Shape] | None = None) -> Flow:
        """Draw the module as it is, in Torch7's own domain, with its fields as attributes."""
        flat = _flat(self.flow)
        made = shapes if shapes is not None else [shape_of(flat[0]) if flat else (1,)]
        fields = self.module.fields.items()
        settings = {name: value for name, value in fields if not _is_tensor(value)}
        kind = self.module.type.rsplit(".", 1)[-1] or "Module"
        values = self.foreign(kind, flat, made, settings)
        return values[0] if len(values) == 1 else list(values)

    def error(self, reason: str, fix: str) -> ModeldocsError:
        """The error to raise, naming the module and its line."""
        name = f" ({self.provenance.name})" if self.provenance.name else ""
        return ModeldocsError(
            f"{self.module.type}{name} {reason}",
            file=self.file,
            line=self.module.line,
            fix=fix,
        )


def _flat(flow: Flow) -> list[ir.Value]:
    if not isinstance(flow, list):
        return [flow]
    return [value for item in flow for value in _flat(item)]


def _fits(shape: Dims) -> bool:
    count = product(shape)
    return isinstance(count, int) and count < MAX_VALUES


def _is_tensor(value: Any) -> bool:
    return isinstance(value, dict)


def _told(value: Any) -> str:
    return "nothing" if value is None else repr(value)[:60]
