"""Running a graph with its weights in onnxruntime.

Large weights are fed as inputs: a serialized model is at most 2 GiB, and serializing it takes
longer than running it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx_ir as ir
import onnxruntime

from modeldocs.errors import ModeldocsError

DOMAINS = ("", "ai.onnx", "ai.onnx.ml", "com.microsoft")
"""Domains whose operators onnxruntime has."""

Arrays = Mapping[str, np.ndarray]

_MAX_STORED = 2**16
"""Bytes of the largest initializer that stays in the model. Some operators need constants there."""


def run(model: ir.Model, inputs: Arrays, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The values of these names, of those that the graph has.

    `inputs` are by name; a weight among them replaces the model's own.

    Raises:
        ModeldocsError: onnxruntime cannot run a part of the graph, with the layer.
    """
    by_name = {str(value.name): value for node in model.graph for value in node.outputs}
    by_name |= {str(value.name): value for value in model.graph.inputs}
    outputs = [by_name[name] for name in dict.fromkeys(names) if name in by_name]
    constants = {
        name: _stored_values(model.graph.initializers[name])
        for name in names
        if name not in by_name and name in model.graph.initializers
    }
    if not outputs:
        return constants
    part = _extract(model, outputs)
    feeds = _move_weights_to_inputs(part, inputs)
    output_names = [str(value.name) for value in outputs]
    session = _session(part)
    try:
        results = session.run(output_names, feeds)
    except Exception as error:
        raise _runtime_error(error) from None
    return constants | dict(zip(output_names, results, strict=True))


def _move_weights_to_inputs(model: ir.Model, inputs: Arrays) -> dict[str, np.ndarray]:
    """Make inputs of large weights, and of those that `inputs` replaces; all inputs' arrays."""
    feeds: dict[str, np.ndarray] = {}
    for name, value in list(model.graph.initializers.items()):
        if name not in inputs and not _is_large(value):
            continue
        array = inputs[name] if name in inputs else _stored_values(value)
        value.const_value = None
        del model.graph.initializers[name]
        value.shape, value.type = ir.Shape(array.shape), _type(array)
        model.graph.inputs.append(value)
        feeds[name] = np.asarray(array, order="C")
    for value in model.graph.inputs:
        name = str(value.name)
        if name not in feeds:
            feeds[name] = inputs[name]
    return feeds


def _is_large(value: ir.Value) -> bool:
    """Whether an initializer is large, absent, or in another file."""
    tensor = value.const_value
    return tensor is None or isinstance(tensor, ir.ExternalTensor) or tensor.nbytes > _MAX_STORED


def _stored_values(value: ir.Value) -> np.ndarray:
    try:
        tensor = value.const_value
        assert tensor is not None
        return tensor.numpy()
    except (OSError, TypeError, ValueError, AssertionError):
        raise ModeldocsError(f"nothing gives {value.name} a value") from None


def _type(array: np.ndarray) -> ir.TensorType:
    return ir.TensorType(ir.DataType.from_numpy(array.dtype))


def _session(model: ir.Model) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # Proofs are about the graph as it stands, not about what an optimizer makes of it.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # sums in one order on every machine
    try:
        data = ir.to_proto(model).SerializeToString()
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise _runtime_error(error) from None


def _runtime_error(error: Exception) -> ModeldocsError:
    message = " ".join(str(error).split())[:400]
    return ModeldocsError(f"onnxruntime cannot run the graph: {message}")


def _extract(model: ir.Model, outputs: Sequence[ir.Value]) -> ir.Model:
    """A copy of the part of a model that computes `outputs`; it shares the tensors."""
    part = model.clone()
    by_name = {str(value.name): value for node in part.graph for value in node.outputs}
    by_name |= {str(value.name): value for value in part.graph.inputs}
    part.graph.outputs.clear()
    part.graph.outputs.extend(by_name[str(value.name)] for value in outputs)
    needed = leading_to(part.graph.outputs)
    for node in reversed(list(part.graph)):
        if node not in needed:
            part.graph.remove(node, safe=True)
        elif node.domain not in DOMAINS:
            raise ModeldocsError(
                f"{node.name or node.op_type} ({node.domain} {node.op_type}) is no ONNX operator, "
                "so nothing but its framework can run it"
            )
    read = {str(value.name) for node in part.graph for value in _read(node) if value is not None}
    for name in [name for name in part.graph.initializers if name not in read]:
        del part.graph.initializers[name]
    read |= {str(value.name) for value in outputs}
    kept = [value for value in part.graph.inputs if str(value.name) in read]
    part.graph.inputs.clear()
    part.graph.inputs.extend(kept)
    return part


def leading_to(outputs: Sequence[ir.Value]) -> set[ir.Node]:
    """The nodes that these values are computed by."""
    needed: set[ir.Node] = set()
    pending = [value.producer() for value in outputs]
    while pending:
        node = pending.pop()
        if node is not None and node not in needed:
            needed.add(node)
            pending += [value.producer() for value in _read(node) if value is not None]
    return needed


def _read(node: ir.Node) -> list[ir.Value | None]:
    """The values that a node reads, those that its bodies read included."""
    read = list(node.inputs)
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            for inner in attribute.as_graph():
                read += _read(inner)
    return read
