"""Functions of TensorFlow, expressed in operations of Keras."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.keras import framework
from modeldocs.loaders.keras.emitters import computes
from modeldocs.loaders.keras.functions import KIND
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators.functions import arrangement, elementwise, network

__all__ = ["function"]

_RENAMED = {"input": "tensor", "input_": "tensor", "filter": "filters"}


@computes(KIND)
def function(op: KerasOperation) -> list[ir.Value]:
    """The nodes of the operations that compute the function.

    Raises:
        NotImplementedError: none are known.
    """
    name = op.origin.operator.rpartition(".")[2]
    form = arrangement.FORMS.get(name) or network.FORMS.get(name) or elementwise.form_of(name)
    if form is None:
        raise NotImplementedError("no operations of Keras are known for it")
    tree = framework.imported().tree
    flat = tree.flatten(op.arguments)
    slots = [slot for slot, argument in enumerate(flat) if isinstance(argument, ir.Value)]

    def computed(*tensors: Any) -> Any:
        replaced = list(flat)
        for slot, tensor in zip(slots, tensors, strict=True):
            replaced[slot] = tensor
        arguments = tree.pack_sequence_as(op.arguments, replaced)
        arguments.pop("name", None)
        return form(**{_RENAMED.get(key, key): value for key, value in arguments.items()})

    return op.function(computed, [flat[slot] for slot in slots])
