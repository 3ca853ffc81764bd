"""The nodes and constants of one layer of a source, with inferred shapes."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim, origin
from modeldocs.loaders.dims import Dims, UnknownShapeError, as_text, impossibility, product
from modeldocs.loaders.emission import inference, model
from modeldocs.loaders.emission.names import UniqueNames
from modeldocs.loaders.emission.settings import attribute

MAX_CONSTANT = 2**22
"""Elements of the largest constant that a graph is given; parameters have no values."""

FLOAT = ir.DataType.FLOAT
Inputs = Sequence[ir.Value | None]


class NodeBuilder:
    """The nodes and initializers of a layer so far; each node has the layer's `provenance`.

    Loaders inherit it: theirs know the framework's settings and operands as well.
    """

    domain = ""
    """Where operators are that ONNX does not have: the framework's name."""
    needs_rank = True
    """Whether a node of unknown rank is an error; else it is left without a shape."""
    is_bounded = False
    """Whether the framework has no empty tensors, and none of 2³¹ values or more."""

    def __init__(self, provenance: origin.Provenance) -> None:
        self.provenance = provenance
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []
        self.notes: list[str] = []
        """Sentences for the reader about how the layer was translated."""

    @property
    def name(self) -> str:
        """The layer's own name."""
        return self.provenance.name

    def error(self, reason: str, fix: str) -> Exception:
        """The error to raise, naming the layer and its line; `fix` says what to do."""
        source = self.provenance.origins[0]
        return ModeldocsError(
            f"{self.name!r} {reason}", file=source.file, line=source.line, fix=fix
        )

    def possible(self, shape: Dims) -> Dims:
        """The shape, which a tensor of the framework must be able to have."""
        reason = impossibility(shape) if self.is_bounded else ""
        if reason:
            raise self.error(
                f"would have an output of {as_text(shape[:9])}: {reason}",
                fix="check its settings against its input's shape",
            )
        return shape

    def node(
        self,
        op: str,
        inputs: Inputs,
        *,
        shape: Sequence[Dim] | None = None,
        dtype: ir.DataType | None = None,
        padding: str | None = None,
        label: str = "",
        **attributes: Any,
    ) -> ir.Value:
        """Add a node with one output. Shape and type are inferred where they are not given.

        `label` names a step of a layer that takes several.
        """
        shapes = None if shape is None else [shape]
        return self.node_of_several(
            op, inputs, 1, shapes=shapes, dtypes=[dtype], padding=padding, label=label, **attributes
        )[0]

    def node_of_several(
        self,
        op: str,
        inputs: Inputs,
        count: int,
        *,
        shapes: Sequence[Sequence[Dim] | None] | None = None,
        dtypes: Sequence[ir.DataType | None] = (),
        padding: str | None = None,
        label: str = "",
        **attributes: Any,
    ) -> list[ir.Value]:
        """Add a node with `count` outputs."""
        outputs = [ir.Value() for _ in range(count)]
        node = self._add(op, inputs, outputs, attributes, padding=padding, label=label)
        given = [*dtypes, *[None] * (count - len(dtypes))]
        types = self._inferred(node) if shapes is None else [_declared(shape) for shape in shapes]
        for value, dtype, (shape, inferred) in zip(outputs, given, types, strict=True):
            if shape is None and self.needs_rank:
                raise UnknownShapeError
            value.shape = None if shape is None else ir.Shape(self.possible(shape))
            kind = dtype or inferred or _first_dtype(inputs)
            value.type = None if kind is None else ir.TensorType(kind)
        return outputs

    def foreign(
        self,
        op: str,
        inputs: Inputs,
        shapes: Sequence[Sequence[Dim] | None],
        settings: dict[str, Any],
        dtypes: Sequence[ir.DataType | None] = (),
    ) -> list[ir.Value]:
        """Draw an operator that ONNX does not have as it is, in the framework's own domain.

        Its settings are attributes; a shape of unknown rank is None. Outputs are of the first
        input's type where `dtypes` has no other.
        """
        types = [*dtypes, *[None] * (len(shapes) - len(dtypes))]
        first = _first_dtype(inputs) or FLOAT
        outputs = [
            ir.Value(
                shape=None if shape is None else ir.Shape(self.possible(tuple(shape))),
                type=ir.TensorType(dtype or first),
            )
            for shape, dtype in zip(shapes, types, strict=True)
        ]
        given = {key: attribute(value) for key, value in settings.items() if value is not None}
        self._add(op, inputs, outputs, given, domain=self.domain)
        return outputs

    def _add(
        self,
        op: str,
        inputs: Inputs,
        outputs: Sequence[ir.Value],
        attributes: dict[str, Any],
        *,
        domain: str = "",
        padding: str | None = None,
        label: str = "",
    ) -> ir.Node:
        given = {
            name: _attribute(name, value) for name, value in attributes.items() if value is not None
        }
        node = ir.node(op, list(inputs), given, domain=domain, outputs=outputs)
        provenance = self.provenance
        if padding is not None or label:
            name = f"{self.name}/{label}" if label else self.name
            provenance = msgspec.structs.replace(provenance, padding=padding, name=name)
        origin.attach(node, provenance)
        self.nodes.append(node)
        return node

    def _inferred(self, node: ir.Node) -> list[inference.Inferred]:
        try:
            return inference.outputs(node)
        except inference.ShapeMismatchError:
            if not self.needs_rank:
                return [(None, None)] * len(node.outputs)
        given = [value for value in node.inputs if value is not None and value.const_value is None]
        known = [shape for shape in map(inference.maybe_shape, given) if shape is not None]
        does = "combines" if len(known) > 1 else f"cannot compute {node.op_type} of"
        shapes = " with ".join(as_text(shape[:9]) for shape in known)
        raise self.error(f"{does} {shapes}", "make the shapes of its inputs fit")

    def constant(
        self, array: Any, dtype: ir.DataType | None = None, role: str = "constant"
    ) -> ir.Value:
        """A constant of the graph, which is no parameter; a plain number is of float32."""
        values = np.asarray(array)
        if values.size > MAX_CONSTANT:
            raise self.error(
                f"takes a constant of {values.size:,} elements",
                fix=f"make it smaller: at most {MAX_CONSTANT:,} are drawn",
            )
        if dtype is None and not isinstance(array, np.ndarray | np.generic):
            dtype = FLOAT
        if dtype is not None:
            with np.errstate(all="ignore"):
                values = values.astype(dtype.numpy())
        value = model.constant(values, f"{self.name}/{role}")
        self.initializers.append(value)
        return value

    def scalar(
        self, number: float, like: ir.Value | None = None, role: str = "constant"
    ) -> ir.Value:
        """A constant number, of another value's type."""
        return self.constant(number, (like.dtype if like is not None else None) or FLOAT, role)

    def filled(self, count: int, number: float, role: str = "constant") -> ir.Value:
        """A constant vector of one number."""
        if count > MAX_CONSTANT:
            raise self.error(f"has {count} channels", fix=f"at most {MAX_CONSTANT} are drawn")
        return self.constant(np.full(count, number, np.float32), role=role)

    def integers(self, values: Sequence[int], role: str = "shape") -> ir.Value:
        """A constant vector of int64: axes, sizes, pads."""
        if any(not -(2**63) <= value < 2**63 for value in values):
            raise self.error("has a size beyond 64 bits", fix="make it smaller")
        return self.constant(np.array(list(values), np.int64).reshape(-1), role=role)

    def declare(
        self,
        name: str,
        shape: Sequence[Dim],
        *,
        dtype: ir.DataType = FLOAT,
        trainable: bool = True,
    ) -> ir.Value:
        """A parameter: its shape and type, without values."""
        value = origin.declare_parameter(name, tuple(shape), dtype=dtype, trainable=trainable)
        self.initializers.append(value)
        return value

    def cast(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        """The value in another type; itself where it has that."""
        if value.dtype == dtype:
            return value
        shape = inference.maybe_shape(value)
        return self.node("Cast", [value], shape=shape, dtype=dtype, to=int(dtype))

    def transpose(self, value: ir.Value, order: Sequence[int]) -> ir.Value:
        """The value with its axes in another order; itself where that is the same."""
        if list(order) == sorted(order):
            return value
        return self.node("Transpose", [value], perm=list(order))

    def reshape(self, value: ir.Value, shape: Sequence[Dim]) -> ir.Value:
        """The same elements in another shape, at most one of its sizes left open.

        Raises:
            UnknownShapeError: several are.
        """
        target = [dim if isinstance(dim, int) else -1 for dim in shape]
        if target.count(-1) > 1:
            raise UnknownShapeError
        before = inference.maybe_shape(value)
        rest = None if before is None else _quotient(before, [size for size in target if size > 0])
        after = [rest if size == -1 else size for size in target]
        return self.node("Reshape", [value, self.integers(target)], shape=after, dtype=value.dtype)

    def reshaped(self, value: ir.Value, shape: Sequence[Dim]) -> ir.Value:
        """As `reshape`; the value itself where it has that shape."""
        return value if inference.maybe_shape(value) == tuple(shape) else self.reshape(value, shape)

    def squeeze(self, value: ir.Value, axes: Sequence[int]) -> ir.Value:
        """The value without some axes of one element."""
        return self.node("Squeeze", [value, self.integers(axes, "axes")])

    def unsqueeze(self, value: ir.Value, axes: Sequence[int]) -> ir.Value:
        """The value with axes of one element more."""
        return self.node("Unsqueeze", [value, self.integers(axes, "axes")])

    def reduce(
        self, op: str, value: ir.Value, axes: Sequence[int], *, keeps_axes: bool = False
    ) -> ir.Value:
        """A reduction over some axes, which stay with one element each or go."""
        return self.node(op, [value, self.integers(axes, "axes")], keepdims=int(keeps_axes))

    def give_names(self, names: UniqueNames, ends: Container[ir.Value]) -> None:
        """Name all nodes and values: those that compute the `ends` after the layer itself."""
        for value in self.initializers:
            value.name = names.unique(value.name or f"{self.name}/constant")
        for node in self.nodes:
            inner = f"{self.name}/{node.op_type}"
            last = any(value in ends for value in node.outputs)
            node.name = names.unique(self.name if last else inner, "node ")
            for value in node.outputs:
                value.name = value.name or names.unique(self.name if value in ends else inner)


def _attribute(name: str, value: Any) -> Any:
    """What `ir.node` takes as an attribute; of a list it would first ask whether it is a graph,
    which is a quarter of the time of loading a network.
    """
    is_integers = isinstance(value, list | tuple) and all(isinstance(one, int) for one in value)
    return ir.AttrInt64s(name, value) if value and is_integers else value


def _declared(shape: Sequence[Dim] | None) -> inference.Inferred:
    return None if shape is None else tuple(shape), None


def _first_dtype(inputs: Inputs) -> ir.DataType | None:
    return next((value.dtype for value in inputs if value is not None and value.dtype), None)


def _quotient(whole: Dims, parts: Dims | Sequence[int]) -> int | None:
    """What is left of a number of elements for the size that is open."""
    total, known = product(whole), product(parts)
    return total // known if isinstance(total, int) and isinstance(known, int) and known else None
