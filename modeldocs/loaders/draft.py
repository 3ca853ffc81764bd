"""What a loader that draws a source node by node ends with: names given once, and the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import onnx_ir as ir

import modeldocs
from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin

OPSET = 21


class Names:
    """The names given so far, in as many spaces as asked for.

    Where a name is given already, `first` is the number that the next one gets.
    """

    def __init__(self, first: int = 2) -> None:
        self._given: dict[tuple[str, str], int] = {}
        self._before = first - 1

    def __contains__(self, name: str) -> bool:
        return ("", name) in self._given

    def unique(self, name: str, space: str = "") -> str:
        """`name`, or with the first number that no other has in this space."""
        made = name
        while (space, made) in self._given:
            self._given[space, name] += 1
            made = f"{name}_{self._given[space, name]}"
        self._given[space, made] = self._before
        return made


def constant(array: np.ndarray[Any, Any], name: str | None = None) -> ir.Value:
    """An initializer that is no parameter."""
    tensor = ir.tensor(array, name=name)
    return ir.Value(
        name=name,
        shape=ir.Shape(array.shape),
        type=ir.TensorType(tensor.dtype),
        const_value=tensor,
    )


def _check_range(node: ir.Node) -> None:
    for name, held in node.attributes.items():
        numbers = held.value if held.type == ir.AttributeType.INTS else [held.value]
        if held.type in (ir.AttributeType.INT, ir.AttributeType.INTS) and any(
            not -(2**63) <= number < 2**63 for number in numbers
        ):
            raise ModeldocsError(
                f"the {name} of {(node.name or node.op_type)[:100]!r} is beyond 64 bits",
                mend="correct it",
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
    model.metadata_props[origin.NOTES_KEY] = msgspec.json.encode(list(notes)).decode()
    return model
