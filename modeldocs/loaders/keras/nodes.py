"""Nodes made for one layer or operation, each with the origin that it has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module, Origin, origin
from modeldocs.loaders.emission.model import OPSET
from modeldocs.loaders.keras import inference, shapes

if TYPE_CHECKING:
    from modeldocs.loaders.keras.assembly import Assembly

MAX_CONSTANT = 2**22
"""Elements of the largest constant that a graph is given."""


class Nodes:
    """Adds nodes and constants to an assembly, under the name and origin of one layer."""

    def __init__(
        self, assembly: Assembly, name: str, modules: Sequence[Module], told: Origin, dtype: str
    ) -> None:
        self.assembly = assembly
        self.name = name
        self.modules = tuple(modules)
        self.told = told
        self._dtype = dtype

    def cast(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        """The value in another type; itself where it has that."""
        return value if value.dtype == dtype else self.add("Cast", value, to=dtype, dtype=dtype)

    def add(
        self,
        op: str,
        *inputs: ir.Value | None,
        label: str = "",
        shape: Sequence[int | None] | None = None,
        dtype: ir.DataType | None = None,
        padding: str | None = None,
        domain: str = "",
        **attributes: Any,
    ) -> ir.Value:
        """A node with one output: of the first input's type, its shape inferred if not given.

        `label` names a step of a layer that takes several.
        """
        return self.add_all(
            op,
            *inputs,
            label=label,
            outputs=[(shape, dtype or _first_dtype(inputs))],
            padding=padding,
            domain=domain,
            **attributes,
        )[0]

    def add_all(
        self,
        op: str,
        *inputs: ir.Value | None,
        outputs: Sequence[tuple[Sequence[int | None] | None, ir.DataType | None]],
        label: str = "",
        padding: str | None = None,
        domain: str = "",
        **attributes: Any,
    ) -> list[ir.Value]:
        """A node with several outputs, each of a shape and type."""
        name = f"{self.name}/{label}" if label else self.name
        made = [
            ir.Value(
                name=self.assembly.unique(f"{self.name}/{label or op}"),
                shape=ir.Shape(shape) if shape is not None else None,
                type=ir.TensorType(dtype) if dtype is not None else None,
            )
            for shape, dtype in outputs
        ]
        given = {key: value for key, value in attributes.items() if value is not None}
        node = ir.node(op, list(inputs), given, domain=domain, outputs=made)
        node.name = self.assembly.unique(name, "node ")
        told = origin.Provenance(
            origins=(self.told,), modules=self.modules, padding=padding, name=name
        )
        origin.attach(node, told)
        self.assembly.nodes.append(node)
        inference.complete(node, OPSET)
        return made

    def number(self, value: Any, dtype: ir.DataType | None = None, name: str = "") -> ir.Value:
        """A constant: of the output's type where it is floating and no other is asked for."""
        array = np.asarray(value)
        self._check_size(array.size)
        wanted = dtype or shapes.dtype(self._dtype)
        return self.assembly.constant(
            array.astype(wanted.numpy()), f"{self.name}/{name or 'constant'}"
        )

    def full(self, fill: Any, shape: Sequence[int], name: str) -> ir.Value:
        """A constant of one number throughout."""
        self._check_size(math.prod(shape))
        return self.number(np.full(tuple(shape), fill), name=name)

    def causal(self, steps: int, seen: int) -> ir.Value:
        """A constant that is true where a step may read another."""
        self._check_size(steps * seen)
        mask = np.tril(np.ones((1, 1, steps, seen), dtype=bool))
        return self.number(mask, ir.DataType.BOOL, "causal")

    def _check_size(self, size: int) -> None:
        if size > MAX_CONSTANT:
            raise self.error(
                f"{self.name!r} takes a constant of {size:,} elements",
                mend="make it smaller, or a weight of a layer",
            )

    def integers(self, values: Sequence[int], name: str) -> ir.Value:
        """A constant list of int64: axes, sizes, pads.

        Raises:
            ModeldocsError: one is beyond 64 bits.
        """
        if any(not -(2**63) <= value < 2**63 for value in values):
            raise self.error(f"{self.name!r} has a size beyond 64 bits", mend="make it smaller")
        return self.number(np.asarray(values, dtype=np.int64), ir.DataType.INT64, name)

    def transpose(self, value: ir.Value, order: Sequence[int]) -> ir.Value:
        """The value with its axes in another order; itself where that is the same."""
        if list(order) == sorted(order):
            return value
        shape = shapes.permuted(shapes.dims(value), order) if value.shape is not None else None
        return self.add("Transpose", value, perm=list(order), shape=shape)

    def reshape(self, value: ir.Value, shape: Sequence[int | None]) -> ir.Value:
        """The value in another shape, at most one of its sizes open."""
        target = self.integers([-1 if size is None else size for size in shape], "shape")
        return self.add("Reshape", value, target, shape=shape)

    def error(self, reason: str, mend: str | None = None) -> ModeldocsError:
        """The error to raise, at the line that made the layer."""
        file = self.told.file or self.assembly.request.source
        return ModeldocsError(reason, file=file, line=self.told.line, mend=mend)


def _first_dtype(inputs: Sequence[ir.Value | None]) -> ir.DataType | None:
    return next((value.dtype for value in inputs if value is not None), None)
