"""Parameters of a symbol: their shapes, how they are used, and their designed values.

A symbol gives parameters no shapes: the first operator that reads one determines its shape.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.dims import Dims, as_text, impossibility, sizes
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet.inputs import stated_shape
from modeldocs.loaders.mxnet.program import SymbolNode
from modeldocs.loaders.reference import Arrays, Designed, spare

MAX_FIXED = 2**22
"""Elements of the largest constant that a graph holds."""


@dataclass(frozen=True, slots=True)
class Use:
    """How a parameter is used; `fixed` ones run as 1 whatever value is stored."""

    trainable: bool = True
    fixed: bool = False


class Variables:
    """The values of variables, each created when its shape is known.

    `uses` are the parameters' uses by name, `requested` the shapes of the request, and `inputs`
    the list of the graph's inputs, which new ones are added to.
    """

    def __init__(self, requested: Mapping[str, tuple[int, ...]], inputs: list[ir.Value]) -> None:
        self.requested = requested
        self.inputs = inputs
        self.values: dict[int, ir.Value] = {}
        self.initializers: dict[str, ir.Value] = {}
        self.uses: dict[str, Use] = {}

    def snapshot(self) -> tuple[int, int]:
        """The number of values and initializers so far, for `restore`."""
        return len(self.values), len(self.initializers)

    def restore(self, snapshot: tuple[int, int]) -> None:
        """Remove what was added since a snapshot."""
        for index in list(self.values)[snapshot[0] :]:
            del self.values[index]
        for name in list(self.initializers)[snapshot[1] :]:
            del self.initializers[name]
        self.uses = {name: self.uses[name] for name in self.initializers}

    def add_input(self, node: SymbolNode, shape: Dims | None, dtype: ir.DataType) -> ir.Value:
        """A variable as an input of the graph, its shape None where not even its rank is known."""
        dims = None if shape is None else ir.Shape(_checked(node, shape))
        value = ir.Value(name=node.name, shape=dims, type=ir.TensorType(dtype))
        provenance = origin.Provenance(origins=(node.origin(),), name=node.name)
        origin.attach(value, provenance)
        self.inputs.append(value)
        self.values[node.index] = value
        return value

    def parameter(
        self, node: SymbolNode, shape: Sequence[int], use: Use, dtype: ir.DataType
    ) -> ir.Value:
        """A variable as a parameter of a shape, the same for every operator that reads it."""
        value = self.values.get(node.index)
        if value is None:
            if node.attributes.get("__grad_req__") == "null":
                use = dataclasses.replace(use, trainable=False)
            _check_stated(node, tuple(shape))
            value = self.declare(node, node.name, shape, use, dtype)
            self.values[node.index] = value
        elif shape_of(value) != tuple(shape):
            raise node.error(
                f"is read as {as_text(tuple(shape))} and as {as_text(shape_of(value))}",
                fix="share parameters of one shape only",
            )
        return value

    def declare(
        self, node: SymbolNode, name: str, shape: Sequence[int], use: Use, dtype: ir.DataType
    ) -> ir.Value:
        """A parameter under a name: a variable's, or one that old files leave out."""
        if name in self.initializers:
            raise node.error(f"is the second with parameters {name!r}", fix="rename one of them")
        shape = sizes(_checked(node, tuple(shape)))
        value = origin.declare_parameter(name, shape, dtype=dtype, trainable=use.trainable)
        if use.fixed:
            if math.prod(shape) > MAX_FIXED:
                raise node.error(
                    f"has {as_text(shape)} values of 1", fix=f"at most {MAX_FIXED} are drawn"
                )
            value.const_value = ir.tensor(np.ones(shape, dtype.numpy()), name=name)
        self.initializers[name] = value
        self.uses[name] = use
        return value

    def resolve(self, node: SymbolNode, reader: SymbolNode, like: Dims | None) -> ir.Value:
        """A variable that is read as data, as a parameter.

        Its shape is the request's, else its own, else `like`.
        """
        stated = self.requested.get(node.name) or stated_shape(node)
        shape = stated if stated and 0 not in stated else like
        if shape is None or None in shape:
            raise reader.error(
                f"reads {node.name!r}, whose shape is not given",
                fix=f"give the variable a shape, or pass --input {node.name}=… with it",
            )
        known = tuple(dim for dim in shape if isinstance(dim, int))
        trained = not re.search(r"(moving|running)_(mean|var)$|const\d*$", node.name)
        return self.parameter(node, known, Use(trainable=trained), ir.DataType.FLOAT)


def _check_stated(node: SymbolNode, shape: tuple[int, ...]) -> None:
    """Check a shape against what the variable states of itself."""
    stated = stated_shape(node)
    same_rank = len(stated) == len(shape)
    fits = same_rank and all(a in (0, b) for a, b in zip(stated, shape, strict=True))
    if stated and not fits and (same_rank or 0 not in stated):
        raise node.error(
            f"states the shape {as_text(stated)}, its reader takes {as_text(shape)}",
            fix="correct its `__shape__`, or the input's shape",
        )


def _checked(node: SymbolNode, shape: Dims) -> Dims:
    reason = impossibility(shape)
    if reason:
        raise node.error(f"would be {as_text(shape[:9])}: {reason}", fix="check the sizes")
    return shape


def mxnet_values(
    uses: Mapping[str, Use], initializers: Mapping[str, ir.Value], designed: Designed
) -> Arrays:
    """The values that MXNet gets, by parameter.

    A gamma that runs as 1 gets other values, which must not matter.
    """
    values = {}
    for name, use in uses.items():
        shape = sizes(shape_of(initializers[name]))
        values[name] = spare(name, shape) if use.fixed else designed.parameter(name, shape)
    return values


def fixed_values(uses: Mapping[str, Use], initializers: Mapping[str, ir.Value]) -> Arrays:
    """The values that the graph has for parameters that run as 1."""
    tensors = {name: initializers[name].const_value for name, use in uses.items() if use.fixed}
    return {name: tensor.numpy() for name, tensor in tensors.items() if tensor is not None}
