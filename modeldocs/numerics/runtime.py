"""A graph with its weights, run in onnxruntime.

Large weights are fed like inputs: a model file would hold 2 GiB at most, and writing it takes
longer than running it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx_ir as ir
import onnxruntime

from modeldocs.errors import ModeldocsError

DOMAINS = ("", "ai.onnx", "ai.onnx.ml", "com.microsoft")
"""Whose operators onnxruntime has."""

Arrays = Mapping[str, np.ndarray]

_WRITTEN = 2**16
"""Bytes of an initializer that stays in the model. Some operators want theirs there: small ones."""


def run(model: ir.Model, inputs: Arrays, wanted: Sequence[str]) -> dict[str, np.ndarray]:
    """Values of a graph by name, of those wanted that it has.

    `inputs` are by name; a weight among them stands in place of the model's own.

    Raises:
        ModeldocsError: onnxruntime cannot run a part of it, with the layer.
    """
    held = {str(value.name): value for node in model.graph for value in node.outputs}
    held |= {str(value.name): value for value in model.graph.inputs}
    outputs = [held[name] for name in dict.fromkeys(wanted) if name in held]
    constants = {
        name: _own(model.graph.initializers[name])
        for name in wanted
        if name not in held and name in model.graph.initializers
    }
    if not outputs:
        return constants
    cut = _cut(model, outputs)
    fed = _fed(cut, inputs)
    names = [str(value.name) for value in outputs]
    session = _session(cut)
    try:
        return constants | dict(zip(names, session.run(names, fed), strict=True))
    except Exception as error:
        raise _refused(error) from None


def _fed(model: ir.Model, inputs: Arrays) -> dict[str, np.ndarray]:
    """What the inputs are fed with, once the model's weights are among them."""
    fed: dict[str, np.ndarray] = {}
    for name, value in list(model.graph.initializers.items()):
        if name not in inputs and not _is_large(value):
            continue
        array = inputs[name] if name in inputs else _own(value)
        value.const_value = None
        del model.graph.initializers[name]
        value.shape, value.type = ir.Shape(array.shape), _type(array)
        model.graph.inputs.append(value)
        fed[name] = np.asarray(array, order="C")
    for value in model.graph.inputs:
        name = str(value.name)
        if name not in fed:
            fed[name] = inputs[name]
    return fed


def _is_large(value: ir.Value) -> bool:
    """Whether an initializer is better fed than written; its values may be in another file."""
    held = value.const_value
    return held is None or isinstance(held, ir.ExternalTensor) or held.nbytes > _WRITTEN


def _own(value: ir.Value) -> np.ndarray:
    try:
        held = value.const_value
        assert held is not None
        return held.numpy()
    except (OSError, TypeError, ValueError, AssertionError):
        raise ModeldocsError(f"nothing gives {value.name} a value") from None


def _type(array: np.ndarray) -> ir.TensorType:
    return ir.TensorType(ir.DataType.from_numpy(array.dtype))


def _session(model: ir.Model) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # What is compared is the graph as it stands, not what an optimiser makes of it.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # sums in one order, on every machine
    try:
        made = ir.to_proto(model).SerializeToString()
        return onnxruntime.InferenceSession(made, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise _refused(error) from None


def _refused(error: Exception) -> ModeldocsError:
    said = " ".join(str(error).split())[:400]
    return ModeldocsError(f"onnxruntime cannot run the graph: {said}")


def _cut(model: ir.Model, outputs: Sequence[ir.Value]) -> ir.Model:
    """A model of the nodes that lead to `outputs`, sharing nothing with the first but tensors."""
    cut = model.clone()
    made = {str(value.name): value for node in cut.graph for value in node.outputs}
    made |= {str(value.name): value for value in cut.graph.inputs}
    cut.graph.outputs.clear()
    cut.graph.outputs.extend(made[str(value.name)] for value in outputs)
    needed = leading_to(cut.graph.outputs)
    for node in reversed(list(cut.graph)):
        if node not in needed:
            cut.graph.remove(node, safe=True)
        elif node.domain not in DOMAINS:
            raise ModeldocsError(
                f"{node.name or node.op_type} ({node.domain} {node.op_type}) is no ONNX operator, "
                "so nothing but its framework can run it"
            )
    read = {str(value.name) for node in cut.graph for value in _read(node) if value is not None}
    for name in [name for name in cut.graph.initializers if name not in read]:
        del cut.graph.initializers[name]
    read |= {str(value.name) for value in outputs}
    kept = [value for value in cut.graph.inputs if str(value.name) in read]
    cut.graph.inputs.clear()
    cut.graph.inputs.extend(kept)
    return cut


def leading_to(outputs: Sequence[ir.Value]) -> set[ir.Node]:
    """The nodes that values are computed by."""
    needed: set[ir.Node] = set()
    waiting = [value.producer() for value in outputs]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in needed:
            needed.add(node)
            waiting += [value.producer() for value in _read(node) if value is not None]
    return needed


def _read(node: ir.Node) -> list[ir.Value | None]:
    """What a node reads, its bodies included."""
    read = list(node.inputs)
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            for inner in attribute.as_graph():
                read += _read(inner)
    return read
