"""Shapes and types of every operation's outputs, as TensorFlow itself infers them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from modeldocs.errors import first_line
from modeldocs.ir import Dim
from modeldocs.loaders.tensorflow import attributes, constants, folding, signatures
from modeldocs.loaders.tensorflow.program import HANDLES, Flat, Operation, Program, Ref

Dims = tuple[Dim, ...]
MAX_STATIC = 4096
"""Elements of the largest value that is computed ahead from shapes and constants."""

SOURCES = (
    "Placeholder", "PlaceholderV2", "IteratorGetNext", "QueueDequeueV2", "QueueDequeueManyV2",
    "QueueDequeueUpToV2",
)  # fmt: skip
"""Operators that data comes into a graph by."""

_NAMED = re.compile(r"\{\{node ([^}]+)\}\}|[nN]ode:? '?([^'\s]+)'?")


class Typed:
    """A graph that TensorFlow has taken in: it is asked for shapes, types and small constants."""

    def __init__(self, program: Program, flat: Flat, shapes: Mapping[str, Dims | None]) -> None:
        self.program = program
        self.flat = flat
        self.graph_def = graph_def(program, flat, shapes)
        self.unknown = [o.name for o in flat.operations.values() if not is_known(o.kind)]
        self.graph = _imported(program, self.graph_def)
        self._static: dict[Ref, np.ndarray[Any, Any] | None] = {}
        self._by_name: dict[str, list[Operation]] = {}
        self._learnt: set[str] = set()
        self.hide(o.name for o in flat.operations.values() if o.kind in HANDLES)

    def hide(self, names: Iterable[str]) -> None:
        """Take these for parameters: what depends on them is never known ahead, but for shapes."""
        self._learnt |= set(names)
        for operation in self.flat.operations.values():
            shaped = operation.kind in ("Shape", "Size", "Rank")
            if not shaped and any(name in self._learnt for name, _ in operation.inputs):
                self._learnt.add(operation.name)
        self._static.clear()

    def by_name(self) -> dict[str, list[Operation]]:
        """The operations that read any output of an operation, by its name."""
        if not self._by_name:
            for (name, _), readers in self.flat.readers().items():
                self._by_name.setdefault(name, []).extend(readers)
        return self._by_name

    def _tensor(self, ref: Ref) -> Any:
        try:
            outputs = self.graph.get_operation_by_name(ref[0]).outputs
        except (KeyError, ValueError):
            return None
        return outputs[ref[1]] if ref[1] < len(outputs) else None

    def count(self, name: str) -> int:
        """How many outputs an operation has."""
        return len(self.graph.get_operation_by_name(name).outputs)

    def shape(self, ref: Ref) -> Dims | None:
        """Dimensions of an output; None where even the rank is not known."""
        tensor = self._tensor(ref)
        if tensor is None or tensor.shape.rank is None:
            return None
        return tuple(tensor.shape.as_list())

    def dtype(self, ref: Ref) -> int:
        """TensorFlow's number of an output's type; 0 where there is no such output."""
        tensor = self._tensor(ref)
        return int(tensor.dtype.as_datatype_enum) if tensor is not None else 0

    def static(self, ref: Ref) -> np.ndarray[Any, Any] | None:
        """The value of an output that depends on shapes and constants alone, where it is small.

        Constants of any size are static, parameters never.
        """
        if ref not in self._static:
            self._static[ref] = self._find_static(ref)
        return self._static[ref]

    def _find_static(self, ref: Ref) -> np.ndarray[Any, Any] | None:
        from tensorflow.python.framework import tensor_util

        operation = self.flat.operations.get(ref[0])
        if operation is None or ref[0] in self._learnt:
            return None
        if operation.kind == "Const":
            return constants.array(operation)
        if operation.kind in (*constants.THROUGH, "PlaceholderWithDefault") and operation.inputs:
            return self.static(operation.inputs[0])
        shape, number = self.shape(ref), self.dtype(ref)
        sizes = [size for size in shape or () if isinstance(size, int)]
        small = shape is not None and len(sizes) == len(shape)
        if not small or np.prod(sizes, dtype=float) > MAX_STATIC:
            return None
        kind = attributes.onnx_type(number)
        if kind is None or (kind.is_floating_point() and sizes) or kind.name == "STRING":
            return None
        try:
            found: np.ndarray[Any, Any] | None = tensor_util.constant_value(self._tensor(ref))
        except (ValueError, TypeError, RuntimeError):
            return None
        if found is None and operation.kind in folding.KINDS:
            return folding.folded(operation, [self.static(one) for one in operation.inputs])
        return found


def is_known(kind: str) -> bool:
    """Whether TensorFlow has an operator of that name."""
    from tensorflow.python.framework import op_def_registry

    return op_def_registry.get(kind) is not None


def graph_def(program: Program, flat: Flat, shapes: Mapping[str, Dims | None]) -> Any:
    """A flat graph as a `GraphDef` that can be imported, inputs with the given shapes.

    What TensorFlow has no operator for becomes a placeholder for each output.
    """
    made = type(program.graph)()
    made.versions.CopyFrom(program.graph.versions)
    made.versions.ClearField("bad_consumers")
    made.versions.min_consumer = 0
    for function in program.graph.library.function:
        made.library.function.add().CopyFrom(function)
    made.library.gradient.extend(program.graph.library.gradient)
    for operation in flat.operations.values():
        if operation.kind == "Const":
            constants.check(program, operation)
        node = made.node.add()
        if operation.name in shapes:
            _placeholder(node, operation, shapes[operation.name])
        elif not is_known(operation.kind):
            _stand_in(node, operation)
        else:
            _copied(node, operation)
    return made


def _copied(node: Any, operation: Operation) -> None:
    node.name, node.op = operation.name, operation.kind
    if operation.settings:
        node.op = "Identity"
        node.attr["T"].CopyFrom(attributes.get(operation.proto, "T"))
    else:
        for name, held in operation.proto.attr.items():
            # What is told of classes and outputs may refer to what was left out.
            if not name.startswith("_"):
                node.attr[name].CopyFrom(held)
    node.input.extend(f"{name}:{index}" if index else name for name, index in operation.inputs)


def _placeholder(node: Any, operation: Operation, shape: Dims | None) -> None:
    node.name, node.op = operation.name, "Placeholder"
    told = [attributes.get(operation.proto, name) for name in ("dtype", "output_types")]
    told.append(attributes.get(operation.proto, "component_types"))
    types = [number for held in told for number in (held.type, *held.list.type[:1]) if number]
    node.attr["dtype"].type = types[0] if types else 1
    node.attr["shape"].shape.SetInParent()
    if shape is None:
        node.attr["shape"].shape.unknown_rank = True
    for size in shape or ():
        node.attr["shape"].shape.dim.add().size = size if isinstance(size, int) else -1


def _stand_in(node: Any, operation: Operation) -> None:
    """A placeholder for the first output of an operator that is not TensorFlow's own."""
    node.name, node.op = operation.name, "Placeholder"
    names = ("T", "dtype", "Tout", "out_type")
    told = [attributes.get(operation.proto, name).type for name in names]
    node.attr["dtype"].type = next((number for number in told if number), 1)
    shapes = attributes.get(operation.proto, "_output_shapes").list.shape
    if shapes:
        node.attr["shape"].shape.CopyFrom(shapes[0])
    else:
        node.attr["shape"].shape.unknown_rank = True


def _imported(program: Program, made: Any) -> Any:
    """The graph, its shapes inferred.

    Raises:
        ModeldocsError: TensorFlow refuses it, with the node where it names one.
    """
    import tensorflow as tf

    signatures.check(program, made)
    graph = tf.Graph()
    try:
        with graph.as_default():
            tf.graph_util.import_graph_def(made, name="")
    except Exception as error:
        said = first_line(error) or type(error).__name__
        named = _NAMED.search(said)
        at = (named[1] or named[2]) if named else None
        raise program.error(
            f"TensorFlow refuses the graph: {said}",
            at=at,
            fix="check the input shapes, and save the graph again",
        ) from None
    return graph
