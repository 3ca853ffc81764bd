"""`LayerGraph`: the layers of a port as plain data, which pages show and the diff compares."""

from __future__ import annotations

from modeldocs.cache_last import remembered
from modeldocs.ir.layer import GraphInput, GraphOutput, Layer, Parameter
from modeldocs.ir.totals import Totals, live_bytes, totals
from modeldocs.struct import Struct


class LayerGraph(Struct, frozen=True):
    """A port's layers in normal form, in a deterministic topological order."""

    name: str
    inputs: tuple[GraphInput, ...] = ()
    layers: tuple[Layer, ...] = ()
    outputs: tuple[GraphOutput, ...] = ()
    notes: tuple[str, ...] = ()
    """Remarks on how it was loaded (`batch 64 in the source, drawn as 1`)."""

    def names(self) -> dict[str, str]:
        """Names of the inputs and layers, by id."""
        inputs = {source.id: source.name for source in self.inputs}
        return inputs | {layer.id: layer.name for layer in self.layers}

    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name; one that layers share is there once."""
        return {
            parameter.name: parameter for layer in self.layers for parameter in layer.parameters
        }

    @classmethod
    def of_body(cls, layer: Layer, name: str) -> LayerGraph:
        """The body of that name of a layer, as a graph."""
        body = layer.bodies[name]
        return cls(layer.name, inputs=body.inputs, layers=body.layers, outputs=body.outputs)

    @remembered
    def totals(self) -> Totals:
        """Size and cost of the whole graph."""
        return totals(self.inputs, self.layers, self.outputs, self.parameters().values())

    @remembered
    def own_parameters(self) -> dict[str, tuple[Parameter, ...]]:
        """The parameters of each layer by its id; one that layers share is of the first of them."""
        owned: set[str] = set()
        result = {}
        for layer in self.layers:
            own = {one.name: one for one in layer.parameters if one.name not in owned}
            owned.update(own)
            result[layer.id] = tuple(own.values())
        return result

    @remembered
    def live_bytes(self) -> tuple[int | None, ...]:
        """Bytes of activations that are alive while each layer runs, by the rules of `Totals`.

        All are None where the size of a tensor is unknown.
        """
        live = live_bytes(self.inputs, self.layers, self.outputs)
        return tuple(live[1:]) if live is not None else (None,) * len(self.layers)
