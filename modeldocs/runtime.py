"""A graph with its weights, run in onnxruntime."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx_ir as ir
import onnxruntime

from modeldocs.errors import ModeldocsError

DOMAINS = ("", "ai.onnx")


def run(
    model: ir.Model, inputs: Mapping[str, np.ndarray], wanted: Sequence[str]
) -> dict[str, np.ndarray]:
    """Values of a graph by name, of those wanted that it has.

    Raises:
        ModeldocsError: onnxruntime cannot run a part of it, with the layer.
    """
    held = {str(value.name): value for node in model.graph for value in node.outputs}
    held |= {str(value.name): value for value in model.graph.inputs}
    outputs = [held[name] for name in dict.fromkeys(wanted) if name in held]
    if not outputs:
        return {}
    cut = _cut(model, outputs)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.onnx")
        ir.save(cut, file, external_data="weights.bin")
        session = _session(file)
        fed = {one.name: inputs[one.name] for one in session.get_inputs()}
        names = [str(value.name) for value in outputs]
        try:
            return dict(zip(names, session.run(names, fed), strict=True))
        except Exception as error:
            raise _refused(error) from None


def _session(file: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # What is compared is the graph as it stands, not what an optimiser makes of it.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
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
    needed = _leading_to(cut.graph.outputs)
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
    unread = [v for v in cut.graph.inputs if str(v.name) not in read and v not in outputs]
    for value in unread:
        cut.graph.inputs.remove(value)
    return cut


def _leading_to(outputs: Sequence[ir.Value]) -> set[ir.Node]:
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
