"""The model that a loader ends with, its constants and its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

import modeldocs
from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.ir.operators import OPSET
from modeldocs.loaders.emission.names import UniqueNames


def constant(array: np.ndarray[Any, Any], name: str | None = None) -> ir.Value:
    """An initializer that is no parameter."""
    tensor = ir.tensor(array, name=name)
    return ir.Value(
        name=name,
        shape=ir.Shape(array.shape),
        type=ir.TensorType(tensor.dtype),
        const_value=tensor,
    )


def output(value: ir.Value, name: str, names: UniqueNames) -> tuple[ir.Value, ir.Node]:
    """A copy of a value as an output of the graph, and the Identity that makes it."""
    output = ir.Value(name=names.unique(name), shape=value.shape, type=value.type)
    return output, ir.node("Identity", [value], outputs=[output], name=names.unique(name, "node "))


def _check_range(node: ir.Node) -> None:
    for name, attribute in node.attributes.items():
        is_list = attribute.type == ir.AttributeType.INTS
        numbers = attribute.value if is_list else [attribute.value]
        if attribute.type in (ir.AttributeType.INT, ir.AttributeType.INTS) and any(
            not -(2**63) <= number < 2**63 for number in numbers
        ):
            raise ModeldocsError(
                f"the {name} of {(node.name or node.op_type)[:100]!r} is beyond 64 bits",
                fix="correct it",
            )


def finished(
    name: str,
    inputs: Sequence[ir.Value],
    outputs: Sequence[ir.Value],
    *,
    nodes: Sequence[ir.Node],
    initializers: Sequence[ir.Value],
    notes: Sequence[str],
) -> ir.Model:
    """The model: it imports the domains of its nodes, and tells the reader the notes.

    Initializers without a value are parameters of unknown shape, which ONNX has as inputs.

    Raises:
        ModeldocsError: an attribute is a number that ONNX has not.
    """
    for node in nodes:
        _check_range(node)
    known = [value for value in initializers if value.const_value is not None]
    inputs = [*inputs, *(value for value in initializers if value.const_value is None)]
    domains = sorted({node.domain for node in nodes} - {""})
    graph = ir.Graph(
        inputs,
        outputs,
        nodes=nodes,
        initializers=known,
        opset_imports={"": OPSET, **dict.fromkeys(domains, 1)},
        name=name,
    )
    model = ir.Model(
        graph,
        ir_version=10,
        producer_name="modeldocs",
        producer_version=modeldocs.__version__,
    )
    origin.set_notes(model, list(notes))
    return model
