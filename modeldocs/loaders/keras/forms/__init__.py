"""What functions of TensorFlow compute, said with operations of Keras'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import onnx_ir as ir

from modeldocs.loaders.keras import framework
from modeldocs.loaders.keras.forms import elementwise, layout, network

if TYPE_CHECKING:
    from modeldocs.loaders.keras.call import Call

__all__ = ["emit"]

_RENAMED = {"input": "tensor", "input_": "tensor", "filter": "filters"}


def emit(call: Call) -> list[ir.Value]:
    """The nodes of one call.

    Raises:
        NotImplementedError: there is no form of the function.
    """
    name = call.told.operator.rpartition(".")[2]
    form = layout.FORMS.get(name) or network.FORMS.get(name) or elementwise.form_of(name)
    if form is None:
        raise NotImplementedError("no operations of Keras' are known for it")
    tree = framework.imported().tree
    flat = tree.flatten(call.arguments)
    places = [place for place, held in enumerate(flat) if isinstance(held, ir.Value)]

    def computed(*tensors: Any) -> Any:
        held = list(flat)
        for place, tensor in zip(places, tensors, strict=True):
            held[place] = tensor
        given = tree.pack_sequence_as(call.arguments, held)
        return form(**{_RENAMED.get(k, k): value for k, value in given.items() if k != "name"})

    return call.assembly.function(computed, [flat[place] for place in places], call)
