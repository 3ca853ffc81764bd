"""Keras' records of calls, which symbolic tensors refer to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modeldocs.loaders.keras import masking
from modeldocs.loaders.traversal import post_order

_HEED_MASKS = frozenset(
    {"LSTM", "GRU", "SimpleRNN", "Bidirectional", "GlobalAveragePooling1D", "Softmax"}
)
"""Layers with an emitter whose results depend on a mask; others pass it on."""


def in_order(outputs: Sequence[Any]) -> list[Any]:
    """The calls that outputs depend on, each after what it reads, branch by branch."""
    return post_order(_producers(outputs), lambda call: _producers(_tensors_read(call)))


def _producers(tensors: Sequence[Any]) -> list[Any]:
    """The calls that returned tensors."""
    calls = map(_producer, tensors)
    return [call for call in calls if call is not None]


def _producer(tensor: Any) -> Any | None:
    """The call that returned a symbolic tensor; None for an input."""
    node = _node(original(tensor))
    return None if node is None or node.is_input else node


def original(tensor: Any) -> Any:
    """The tensor that a call returned: functional models read copies of their inputs."""
    while (node := _node(tensor)) is not None:
        tensor = node.outputs[tensor._keras_history.tensor_index]
        if type(node.operation).__name__ != "ConvertToTensor":
            break
        source = node.arguments.keras_tensors[0]
        if source.dtype != tensor.dtype:
            break
        tensor = source
    return tensor


def _node(tensor: Any) -> Any | None:
    history = getattr(tensor, "_keras_history", None)
    if history is None or history.operation is None:
        return None
    return history.operation._inbound_nodes[history.node_index]


def _tensors_read(node: Any) -> list[Any]:
    """Tensors that a call reads, then the masks that its result depends on."""
    tensors = list(node.arguments.keras_tensors)
    if type(node.operation).__name__ not in _HEED_MASKS:
        return tensors
    masks = [masking.of(tensor) for tensor in tensors]
    return tensors + [mask for mask in masks if mask is not None]
