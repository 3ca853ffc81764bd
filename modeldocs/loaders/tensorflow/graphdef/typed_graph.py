"""A graph with the shapes, types and constants that TensorFlow infers for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from modeldocs.errors import first_line
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.tensorflow.graphdef import attributes, constants, folding, signatures
from modeldocs.loaders.tensorflow.program import HANDLES, FlatGraph, GraphDefProgram, GraphNode, Ref

MAX_STATIC = 4096
"""Elements of the largest value that is computed beforehand from shapes and constants."""

_NAMED = re.compile(r"\{\{node ([^}]+)\}\}|[nN]ode:? '?([^'\s]+)'?")


class TypedGraph:
    """A graph imported into TensorFlow, which infers shapes, types and small constants."""

    def __init__(
        self, program: GraphDefProgram, flat: FlatGraph, shapes: Mapping[str, Dims | None]
    ) -> None:
        self.program = program
        self.flat = flat
        self.graph_def = graph_def(program, flat, shapes)
        self.graph = _imported(program, self.graph_def)
        self._static: dict[Ref, np.ndarray[Any, Any] | None] = {}
        self._parameters: set[str] = set()
        self.hide(o.name for o in flat.nodes.values() if o.kind in HANDLES)

    def hide(self, names: Iterable[str]) -> None:
        """Treat nodes as parameters: what depends on them has no value beforehand.

        The shape of such a value may still be known.
        """
        self._parameters |= set(names)
        for node in self.flat.nodes.values():
            reads_shape = node.kind in ("Shape", "Size", "Rank")
            if not reads_shape and any(name in self._parameters for name, _ in node.inputs):
                self._parameters.add(node.name)
        self._static.clear()

    def _tensor(self, ref: Ref) -> Any:
        try:
            outputs = self.graph.get_operation_by_name(ref[0]).outputs
        except (KeyError, ValueError):
            return None
        return outputs[ref[1]] if ref[1] < len(outputs) else None

    def count(self, name: str) -> int:
        """How many outputs a node has."""
        return len(self.graph.get_operation_by_name(name).outputs)

    def shape(self, ref: Ref) -> Dims | None:
        """Dimensions of an output; None where its rank is not known."""
        tensor = self._tensor(ref)
        if tensor is None or tensor.shape.rank is None:
            return None
        return tuple(tensor.shape.as_list())

    def dtype(self, ref: Ref) -> int:
        """TensorFlow's number of an output's type; 0 where there is no such output."""
        tensor = self._tensor(ref)
        return int(tensor.dtype.as_datatype_enum) if tensor is not None else 0

    def static(self, ref: Ref) -> np.ndarray[Any, Any] | None:
        """The value of an output that depends on shapes and constants alone.

        None where it depends on inputs or parameters, or is large; constants may have any size.
        """
        if ref not in self._static:
            self._static[ref] = self._compute_static(ref)
        return self._static[ref]

    def _compute_static(self, ref: Ref) -> np.ndarray[Any, Any] | None:
        from tensorflow.python.framework import tensor_util

        node = self.flat.nodes.get(ref[0])
        if node is None or ref[0] in self._parameters:
            return None
        if node.kind == "Const":
            return constants.array(node)
        if node.kind in (*constants.THROUGH, "PlaceholderWithDefault") and node.inputs:
            return self.static(node.inputs[0])
        shape, type_number = self.shape(ref), self.dtype(ref)
        sizes = [size for size in shape or () if isinstance(size, int)]
        is_small = shape is not None and len(sizes) == len(shape)
        if not is_small or np.prod(sizes, dtype=float) > MAX_STATIC:
            return None
        dtype = attributes.onnx_type(type_number)
        if dtype is None or (dtype.is_floating_point() and sizes) or dtype.name == "STRING":
            return None
        try:
            value: np.ndarray[Any, Any] | None = tensor_util.constant_value(self._tensor(ref))
        except (ValueError, TypeError, RuntimeError):
            return None
        if value is None and node.kind in folding.KINDS:
            return folding.folded(node, [self.static(ref) for ref in node.inputs])
        return value


def is_known(kind: str) -> bool:
    """Whether TensorFlow has an operator of that name."""
    from tensorflow.python.framework import op_def_registry

    return op_def_registry.get(kind) is not None


def graph_def(program: GraphDefProgram, flat: FlatGraph, shapes: Mapping[str, Dims | None]) -> Any:
    """A graph as a `GraphDef` that can be imported, its inputs with the given shapes.

    A node whose operator TensorFlow does not know becomes a placeholder of its first output.
    """
    graph = type(program.graph)()
    graph.versions.CopyFrom(program.graph.versions)
    graph.versions.ClearField("bad_consumers")
    graph.versions.min_consumer = 0
    for function in program.graph.library.function:
        graph.library.function.add().CopyFrom(function)
    graph.library.gradient.extend(program.graph.library.gradient)
    for source in flat.nodes.values():
        if source.kind == "Const":
            constants.check(program, source)
        node = graph.node.add()
        if source.name in shapes:
            _placeholder(node, source, shapes[source.name])
        elif not is_known(source.kind):
            _stand_in(node, source)
        else:
            _copied(node, source)
    return graph


def _copied(node: Any, source: GraphNode) -> None:
    node.name, node.op = source.name, source.kind
    if source.settings:
        node.op = "Identity"
        node.attr["T"].CopyFrom(attributes.get(source.proto, "T"))
    else:
        for name, attribute in source.proto.attr.items():
            # Internal attributes may refer to nodes that are not part of the graph.
            if not name.startswith("_"):
                node.attr[name].CopyFrom(attribute)
    node.input.extend(f"{name}:{index}" if index else name for name, index in source.inputs)


def _placeholder(node: Any, source: GraphNode, shape: Dims | None) -> None:
    node.name, node.op = source.name, "Placeholder"
    settings = [attributes.get(source.proto, name) for name in ("dtype", "output_types")]
    settings.append(attributes.get(source.proto, "component_types"))
    types = [
        number
        for setting in settings
        for number in (setting.type, *setting.list.type[:1])
        if number
    ]
    node.attr["dtype"].type = types[0] if types else 1
    node.attr["shape"].shape.SetInParent()
    if shape is None:
        node.attr["shape"].shape.unknown_rank = True
    for size in shape or ():
        node.attr["shape"].shape.dim.add().size = size if isinstance(size, int) else -1


def _stand_in(node: Any, source: GraphNode) -> None:
    """A placeholder for the first output of an operator that TensorFlow does not know."""
    node.name, node.op = source.name, "Placeholder"
    names = ("T", "dtype", "Tout", "out_type")
    types = [attributes.get(source.proto, name).type for name in names]
    node.attr["dtype"].type = next((number for number in types if number), 1)
    shapes = attributes.get(source.proto, "_output_shapes").list.shape
    if shapes:
        node.attr["shape"].shape.CopyFrom(shapes[0])
    else:
        node.attr["shape"].shape.unknown_rank = True


def _imported(program: GraphDefProgram, definition: Any) -> Any:
    """The graph, with its shapes inferred.

    Raises:
        ModeldocsError: TensorFlow refuses it, with the node where it names one.
    """
    import tensorflow as tf

    signatures.check(program, definition)
    graph = tf.Graph()
    try:
        with graph.as_default():
            tf.graph_util.import_graph_def(definition, name="")
    except Exception as error:
        message = first_line(error) or type(error).__name__
        match = _NAMED.search(message)
        at = (match[1] or match[2]) if match else None
        raise program.error(
            f"TensorFlow refuses the graph: {message}",
            at=at,
            fix="check the input shapes, and save the graph again",
        ) from None
    return graph
