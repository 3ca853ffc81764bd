"""An operator while it is turned into ONNX nodes: what an emit function works with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.dims import Dims, said, sizes
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet import operands
from modeldocs.loaders.mxnet.drawing import Drawing
from modeldocs.loaders.mxnet.settings import Settings
from modeldocs.loaders.mxnet.symbol import SymbolNode
from modeldocs.loaders.mxnet.variables import Use, Variables

Outputs = Sequence[ir.Value]
Emit = Callable[["Operation"], Outputs]

DOMAIN = "mxnet"
EMITTERS = Emitters[Emit]()
"""By the operator's name of today."""
emits = EMITTERS.emits


class Operation(Drawing):
    """One operator: its settings, its operands, and what is drawn of it.

    `operands` are values, or the variables that have none yet. `outputs` is how many of its
    outputs are read, `batch` that of the network.
    """

    domain = DOMAIN

    def __init__(
        self,
        node: SymbolNode,
        given: Sequence[ir.Value | SymbolNode],
        variables: Variables,
        outputs: int,
        batch: int,
    ) -> None:
        super().__init__(node, [one for one in given if isinstance(one, SymbolNode)])
        self.settings = Settings(node)
        self.operands = list(given)
        self.outputs = outputs
        self.batch = batch
        self._variables = variables

    @property
    def is_numpy(self) -> bool:
        """Whether it is one of MXNet's numpy, which have its rules."""
        return self.source.told.startswith("_np")

    def value(self, slot: int = 0, like: Dims | None = None) -> ir.Value:
        """An operand; a variable without a shape of its own takes that of `like`."""
        if slot >= len(self.operands):
            raise self.error(
                f"reads {len(self.operands)} operands, it takes {slot + 1}", fix="add the input"
            )
        held = self.operands[slot]
        if isinstance(held, SymbolNode):
            held = self._variables.resolve(held, self.source, like)
            self.operands[slot] = held
        return held

    def values(self) -> list[ir.Value]:
        """All operands; a variable takes the shape of the first that has one, unless it spreads."""
        known = next((v for v in self.known() if v.shape is not None), None)
        spreads = self.source.told.startswith("broadcast_") or self.is_numpy
        like = shape_of(known) if known is not None and not spreads else None
        return [self.value(slot, like) for slot in range(len(self.operands))]

    def known(self) -> list[ir.Value]:
        """The operands that have a value by now."""
        return [held for held in self.operands if isinstance(held, ir.Value)]

    def shape(self, slot: int = 0, *, least: int = 0) -> Dims:
        """Dimensions of an operand, of which there must be some at `least`."""
        shape = shape_of(self.value(slot))
        if len(shape) < least:
            raise self.error(
                f"reads {said(shape)}, it takes {least} dimensions",
                fix="check the input's shape, and pass --input with another",
            )
        return shape

    def sizes(self, slot: int = 0, *, least: int = 0) -> tuple[int, ...]:
        """As `shape`, every dimension known."""
        return sizes(self.shape(slot, least=least))

    def image(self, slot: int = 0) -> tuple[int, int, int, int]:
        """Batch, channels, height and width of an operand that must have them."""
        shape = self.sizes(slot, least=4)
        if len(shape) != 4:
            raise self.error(f"reads {said(shape[:9])}, it takes 4 dimensions", fix="reshape it")
        batch, channels, height, width = shape
        return batch, channels, height, width

    def exactly(self, count: int) -> list[ir.Value]:
        """All operands, of which there must be so many."""
        if len(self.operands) != count:
            raise self.error(
                f"reads {len(self.operands)} operands, it takes {count}", fix="correct its inputs"
            )
        return self.values()

    @property
    def dtype(self) -> ir.DataType:
        """Element type of the first operand."""
        return self.value().dtype or ir.DataType.FLOAT

    def parameter(
        self,
        role: str,
        shape: Sequence[int],
        *,
        trainable: bool = True,
        fixed: bool = False,
        dtype: ir.DataType | None = None,
    ) -> ir.Value:
        """The operand of a role, such as `weight`: a variable, or what another operator made.

        Files of before 0.9 do not list running statistics: those are declared all the same.
        """
        use = Use(trainable, fixed)
        dtype = dtype or ir.DataType.FLOAT
        slot = self._slot(role)
        if slot >= len(self.operands):
            if role not in ("moving_mean", "moving_var"):
                raise self.error(f"has no {role} among its inputs", fix="add the input")
            return self._variables.declare(self.source, f"{self.name}_{role}", shape, use, dtype)
        held = self.operands[slot]
        node = held if isinstance(held, SymbolNode) else None
        if node is not None:
            held = self._variables.parameter(node, shape, use, dtype)
        assert isinstance(held, ir.Value)
        if shape_of(held) != tuple(shape):
            raise self.error(
                f"reads a {role} of {said(shape_of(held))}, it takes {said(tuple(shape))}",
                fix="check the shapes of its inputs",
            )
        return held

    def state(self, slot: int, shape: Dims) -> ir.Value:
        """A recurrent layer's first state: a variable of that kind is an input."""
        held = self.operands[slot] if slot < len(self.operands) else self.value(slot)
        if isinstance(held, SymbolNode):
            held = self._variables.add_input(held, shape, self.dtype)
            self.operands[slot] = held
        return held

    def _slot(self, role: str) -> int:
        return operands.operands(self.source.op, self.source.told).index(role)

    def axis(self, name: str, default: int, rank: int) -> int:
        """An axis that a setting names, counted from the front."""
        return self.checked_axis(self.settings.integer(name, default), rank, name)

    def checked_axis(self, axis: int, rank: int, name: str = "axis") -> int:
        """An axis counted from the front, of a tensor with `rank` dimensions."""
        if not -rank <= axis < rank:
            raise self.error(
                f"names with `{name}` the axis {axis} of a tensor with {rank} dimensions",
                fix=f"use an axis from {-rank} to {rank - 1}",
            )
        return axis % rank

    def opaque(
        self,
        shapes: Sequence[Dims | None],
        inputs: Sequence[ir.Value | None] | None = None,
        **filled: Any,
    ) -> list[ir.Value]:
        """Draw the operator as it is, in MXNet's own domain, its settings as attributes.

        A shape of None is that of an output of unknown rank. `filled` are settings with their
        defaults, typed.
        """
        given = self.values() if inputs is None else inputs
        settings = {k: v for k, v in self.source.attributes.items() if not k.startswith("__")}
        kind = re.sub(r"\W", "_", self.source.told.removeprefix("_contrib_"))
        return self.foreign(kind, given, shapes, {**settings, **filled})
