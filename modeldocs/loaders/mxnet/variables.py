"""A symbol's variables: inputs, parameters and labels, each a value once its shape is known.

A symbol tells them apart by nothing but where they are read. Parameters have no shapes in it:
the first operator that reads one says what shape it has.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.dims import Dims, said
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet import operands
from modeldocs.loaders.mxnet.settings import Settings
from modeldocs.loaders.mxnet.shapes import impossible
from modeldocs.loaders.mxnet.symbol import Symbol, SymbolNode

Role = Literal["input", "parameter", "label", "state"]
MAX_FIXED = 2**22
"""Values of the largest constant that a graph is given."""

_NAMED_LIKE_PARAMETER = re.compile(
    r"(weight|bias|gamma|beta|alpha|scale|mean|var|parameters|_w|_b|const)\d*$"
)


@dataclass(frozen=True, slots=True)
class Use:
    """How a parameter is used; `fixed` ones run as 1 whatever is kept."""

    trainable: bool = True
    fixed: bool = False


def roles(symbol: Symbol, asked: Mapping[str, tuple[int, ...]]) -> dict[int, Role]:
    """What each variable is for, by where it is read, by what is asked for, and by its name."""
    readers, live = symbol.readers(), symbol.live()
    return {
        node.index: _role(node, readers[node.index], asked) if node.index in live else "label"
        for node in symbol.nodes
        if node.is_variable
    }


def _role(
    node: SymbolNode, readers: Sequence[tuple[SymbolNode, int]], asked: Mapping[str, object]
) -> Role:
    found = {operands.role(reader.op, reader.told, slot) for reader, slot in readers}
    if "parameter" in found:
        return "parameter"
    if node.name.startswith("data"):
        return "input"
    if "__init__" in node.attributes:
        return "parameter"
    if node.name in asked:
        return "input"
    if found == {"state"}:
        return "state"
    return "parameter" if _NAMED_LIKE_PARAMETER.search(node.name) else "input"


def told_shape(node: SymbolNode) -> tuple[int, ...]:
    """The shape that a variable's own attribute gives, 0 where it leaves a size open."""
    sizes = Settings(node).sizes("__shape__")
    return tuple(max(size, 0) for size in sizes)


class Variables:
    """The variables that have a value so far, and what each parameter is for."""

    def __init__(self, asked: Mapping[str, tuple[int, ...]]) -> None:
        self.asked = asked
        self.values: dict[int, ir.Value] = {}
        self.inputs: list[ir.Value] = []
        self.initializers: dict[str, ir.Value] = {}
        self.uses: dict[str, Use] = {}

    def saved(self) -> tuple[int, int]:
        """How much there is by now, for `restore`."""
        return len(self.values), len(self.initializers)

    def restore(self, saved: tuple[int, int]) -> None:
        """Take back what came since `saved`: an operator could not be drawn after all."""
        for index in list(self.values)[saved[0] :]:
            del self.values[index]
        for name in list(self.initializers)[saved[1] :]:
            del self.initializers[name]
        self.uses = {name: self.uses[name] for name in self.initializers}

    def add_input(self, node: SymbolNode, shape: Dims | None, dtype: ir.DataType) -> ir.Value:
        """A variable that the graph is fed with; a shape of None where nothing is known of it."""
        held = None if shape is None else ir.Shape(self._possible(node, shape))
        value = ir.Value(name=node.name, shape=held, type=ir.TensorType(dtype))
        told = origin.Provenance(origins=(node.origin(),), name=node.name)
        origin.attach(value, told)
        self.inputs.append(value)
        self.values[node.index] = value
        return value

    def parameter(
        self, node: SymbolNode, shape: Sequence[int], use: Use, dtype: ir.DataType
    ) -> ir.Value:
        """A variable as a parameter of a shape, which it must have wherever it is read."""
        known = self.values.get(node.index)
        if known is None:
            if node.attributes.get("__grad_req__") == "null":
                use = dataclasses.replace(use, trainable=False)
            self._check_told(node, tuple(shape))
            known = self.declare(node, node.name, shape, use, dtype)
            self.values[node.index] = known
        elif shape_of(known) != tuple(shape):
            raise node.error(
                f"is read as {said(tuple(shape))} and as {said(shape_of(known))}",
                fix="share parameters of one shape only",
            )
        return known

    def declare(
        self, node: SymbolNode, name: str, shape: Sequence[int], use: Use, dtype: ir.DataType
    ) -> ir.Value:
        """A parameter under a name, be it a variable's or one that old files do not list."""
        if name in self.initializers:
            raise node.error(f"is the second with parameters {name!r}", fix="rename one of them")
        shape = tuple(int(dim) for dim in self._possible(node, tuple(shape)) if dim is not None)
        value = origin.declare_parameter(name, shape, dtype=dtype, trainable=use.trainable)
        if use.fixed:
            if math.prod(shape) > MAX_FIXED:
                raise node.error(
                    f"has {said(shape)} values of 1", fix=f"at most {MAX_FIXED} are drawn"
                )
            value.const_value = ir.tensor(np.ones(shape, dtype.numpy()), name=name)
        self.initializers[name] = value
        self.uses[name] = use
        return value

    def resolve(self, node: SymbolNode, reader: SymbolNode, like: Dims | None) -> ir.Value:
        """A parameter that is read as data: its shape is told, asked for, or its neighbour's."""
        told = self.asked.get(node.name) or told_shape(node)
        shape = told if told and 0 not in told else like
        if shape is None or None in shape:
            raise reader.error(
                f"reads {node.name!r}, of which no shape is told",
                fix=f"give the variable a shape, or pass --input {node.name}=… with it",
            )
        sizes = tuple(int(dim) for dim in shape if isinstance(dim, int))
        return self.parameter(node, sizes, _use_by_name(node.name), ir.DataType.FLOAT)

    def _check_told(self, node: SymbolNode, shape: tuple[int, ...]) -> None:
        told = told_shape(node)
        alike = len(told) == len(shape)
        fits = alike and all(a in (0, b) for a, b in zip(told, shape, strict=True))
        if told and not fits and (alike or 0 not in told):
            raise node.error(
                f"says that it is {said(told)}, what reads it takes {said(shape)}",
                fix="correct its `__shape__`, or the input's shape",
            )

    def _possible(self, node: SymbolNode, shape: Dims) -> Dims:
        wrong = impossible(shape)
        if wrong:
            raise node.error(f"would be {said(shape[:9])}: {wrong}", fix="check the sizes")
        return shape


def _use_by_name(name: str) -> Use:
    return Use(trainable=not re.search(r"(moving|running)_(mean|var)$|const\d*$", name))
