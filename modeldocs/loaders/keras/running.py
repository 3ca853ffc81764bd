"""A model run by Keras itself, whole or layer by layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from modeldocs.loaders.keras import framework
from modeldocs.loaders.keras.loading import Network
from modeldocs.loaders.keras.tracing import in_order, original

Array = np.ndarray[Any, Any]


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
