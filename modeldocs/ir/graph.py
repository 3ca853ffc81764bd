"""The intermediate representation that people read and the diff compares: `LayerGraph`.

It is plain data: it knows no framework, and imports nothing of ours but plain data.
"""

from __future__ import annotations

from modeldocs.ir.layer import GraphInput, GraphOutput, Layer, Parameter
from modeldocs.ir.totals import Totals, totals
from modeldocs.struct import Struct


class LayerGraph(Struct, frozen=True):
    """A port's layers in normal form, in a deterministic topological order."""

    name: str
    inputs: tuple[GraphInput, ...] = ()
    layers: tuple[Layer, ...] = ()
    outputs: tuple[GraphOutput, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader must know of how it was loaded (`batch 64 in the source, drawn as 1`)."""

    def names(self) -> dict[str, str]:
        """The name of each input and layer, by id."""
        inputs = {held.id: held.name for held in self.inputs}
        return inputs | {layer.id: layer.name for layer in self.layers}

    def parameters(self) -> dict[str, Parameter]:
        """Every parameter once, by name: one shared by two layers counts once."""
        return {
            parameter.name: parameter for layer in self.layers for parameter in layer.parameters
        }

    def totals(self) -> Totals:
        """Size and cost of the whole graph; counted anew at each call."""
        return totals(self.inputs, self.layers, self.outputs, self.parameters().values())
