"""A model run by Keras itself, whole or layer by layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from modeldocs.loaders.keras import framework
from modeldocs.loaders.keras.loading import Network
from modeldocs.loaders.keras.tracing import in_order, maker, original

Array = np.ndarray[Any, Any]

CERTAIN = 0.999
"""A probability that leaves too little to the others for them to prove anything."""

SPREAD = 3.0
"""Standard deviation of the scores that a softmax is given instead."""


class Run:
    """Runs of a network on the same inputs, in inference mode."""

    def __init__(self, network: Network, arrays: dict[str, Array]) -> None:
        self.network = network
        self.arrays = arrays
        self._keras = framework.imported()
        convert = self._keras.ops.convert_to_tensor
        self._fed = {
            id(tensor): convert(arrays[name], tensor.dtype)
            for name, tensor, _ in network.feed.graph_inputs
        }

    def outputs(self) -> list[Array]:
        """What the model itself gives, called as its users do."""
        args, kwargs = self._filled(list(self.network.feed.args), self.network.feed.kwargs)
        made = self.network.model(*args, **kwargs, training=False)
        flat = self._keras.tree.flatten(made)
        return [np.asarray(self._keras.ops.convert_to_numpy(output)) for output in flat]

    def _filled(self, *structures: Any) -> tuple[Any, ...]:
        """Structures with tensors in place of the symbolic ones."""
        put = self._keras.tree.map_structure
        return tuple(put(lambda t: self._fed.get(id(t), t), one) for one in structures)

    def layers(self) -> Iterator[tuple[Any, Any]]:
        """The symbolic tensor and the value of each layer's output: traced calls, one by one."""
        trace = self.network.trace
        held = dict(self._fed)
        held |= {i: variable.value for i, variable in trace.stand_ins.variables.items()}
        held |= {i: value for i, (_, value) in trace.constants.items()}
        for node in in_order([tensor for _, tensor in self.network.outputs]):
            held |= {id(t): held[id(original(t))] for t in node.arguments.keras_tensors}
            args, kwargs = node.arguments.fill_in(held)
            made = self._keras.tree.flatten(node.operation(*args, **kwargs))
            for tensor, value in zip(node.outputs, made, strict=True):
                held[id(tensor)] = value
                yield tensor, value

    def unsaturated(self) -> list[Array]:
        """The outputs, after classifiers that seeded weights make all too certain were softened.

        Activations of a deep residual network grow with every block. A softmax of large scores is
        one-hot whatever came before it, and proves nothing.
        """
        made = self.outputs()
        pairs = zip(made, self.network.outputs, strict=True)
        heads = [_classifier(tensor) for array, (_, tensor) in pairs if _is_certain(array)]
        wanted = {id(original(head.arguments.keras_tensors[0])): head for head in heads if head}
        if not wanted:
            return made
        for tensor, value in self.layers():
            if id(tensor) in wanted:
                self._soften(wanted[id(tensor)].operation, value)
        return self.outputs()

    def _soften(self, dense: Any, value: Any) -> None:
        """Scale a Dense layer's weights so that its scores are spread by as much as is wanted."""
        scores = self._keras.ops.matmul(value, dense.kernel)
        factor = SPREAD / max(float(np.std(np.asarray(scores))), SPREAD)
        for variable in dense.trainable_weights:
            variable.assign(variable * factor)


def _is_certain(array: Array) -> bool:
    return array.dtype.kind == "f" and array.size > 0 and CERTAIN < float(array.max()) <= 1.001


def _classifier(tensor: Any) -> Any | None:
    """The call of the Dense layer that gives an output, past what has no weights."""
    node = maker(tensor)
    while node is not None and type(node.operation).__name__ != "Dense":
        tensors = node.arguments.keras_tensors
        if len(tensors) != 1 or getattr(node.operation, "weights", None):
            return None
        node = maker(tensors[0])
    return node
