"""The layers of a network as one ONNX graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import diagnostics, operators, weights
from modeldocs.loaders.caffe.conversion import convert
from modeldocs.loaders.caffe.data_layers import feeds
from modeldocs.loaders.caffe.inputs import NetInput, Weights, choose_shapes, network_inputs
from modeldocs.loaders.caffe.layer import CaffeLayer, is_loss
from modeldocs.loaders.caffe.operation import EMITTERS, CaffeOperation, LayerContext
from modeldocs.loaders.caffe.program import CaffeNet
from modeldocs.loaders.caffe.source import CaffeSource
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission.graph import EmittedGraph
from modeldocs.loaders.emission.operation import Outputs

__all__ = ["NetAssembly", "assemble", "operators"]

SETTINGS_KEY = "modeldocs.caffe"


def assemble(source: CaffeSource, request: LoadRequest) -> NetAssembly:
    """The graph with a batch of one, or with the source's batch where the layers depend on it.

    Raises:
        ModeldocsError: a layer reads a blob that no layer makes, or its settings do not fit.
    """
    try:
        return _assemble(source, request, single=True)
    except ModeldocsError as error:
        first = error
    try:
        return _assemble(source, request, single=False)
    except ModeldocsError:
        raise first from None


def _assemble(source: CaffeSource, request: LoadRequest, *, single: bool) -> NetAssembly:
    network = source.network
    inputs = network_inputs(network, source.blobs if source.sure else None)
    shapes, notes = choose_shapes(inputs, request.inputs, network.file, single=single)

    def of_layers(blobs: Weights) -> NetAssembly:
        assembly = NetAssembly(network, notes, blobs)
        for one in inputs:
            assembly.add_input(one, shapes[one.name])
        for layer in network.layers:
            if not feeds(layer):
                assembly.add_layer(layer)
        return assembly

    assembly = of_layers(source.blobs)
    assembly.graph.notes += source.notes
    if not source.blobs:
        return assembly
    try:
        assembly.graph.notes += weights.take(assembly.layers, source.blobs, source.weights)
    except ModeldocsError as error:
        if source.sure:
            raise
        # The weights beside the definition are those of another network.
        assembly = of_layers({})
        assembly.graph.notes.append(f"{source.weights} is not used: {error.reason}")
    return assembly


class NetAssembly:
    """The graph so far; `blobs` holds the latest value of each blob, as layers overwrite them.

    `given` are the parameters of layer types that only a fork knows.
    """

    def __init__(self, network: CaffeNet, notes: Sequence[str], given: Weights) -> None:
        self.network = network
        self.graph = EmittedGraph()
        self.graph.notes += [
            *_state(network),
            *notes,
            *network.mistyped,
            *diagnostics.unknown_fields(network.layers, EMITTERS),
        ]
        self.blobs: dict[str, ir.Value] = {}
        self.layers: list[CaffeOperation] = []
        self._given = given
        self._makers: dict[str, str] = {}
        self._writers = Counter(top for layer in network.layers for top in layer.tops)
        self._shared: dict[str, ir.Value] = {}
        self._consumed: set[ir.Value] = set()
        self._assumed: set[ir.Value] = set()
        """Values of which the shape is an assumption."""
        self._shapeless: list[str] = []

    def add_input(self, one: NetInput, shape: Dims | None) -> None:
        """Add an input blob of this shape; its origin keeps the one in the source."""
        self.blobs[one.name] = self.graph.add_input(one.name, shape, source=one.origin)
        self._makers[one.name] = f"line {one.origin.line}" if one.origin.line else "an input"

    def add_layer(self, layer: CaffeLayer) -> None:
        """Add a layer's nodes; a loss without its label is left out, with a note."""
        network = self.network
        missing = [name for name in layer.bottoms if name not in self.blobs]
        if missing and layer.lacks_label(missing[0]):
            self.graph.notes.append(
                f"{layer.where}: {layer.type} {layer.name!r} is left out, since nothing "
                f"gives {missing[0]!r}"
            )
            return
        if missing:
            raise diagnostics.missing_blob(
                layer, missing[0], list(self.blobs), network.layers, network.left_out
            )
        bottoms = [self.blobs[name] for name in layer.bottoms]
        assumed = not self._assumed.isdisjoint(bottoms)
        given = self._given.get(layer.name, ())
        converted = convert(
            layer, LayerContext(bottoms, network.state.phase, self._shared, given, assumed)
        )
        self._consumed.update(bottoms)
        self._commit(converted.operation, converted.tops)
        if converted.assumed:
            self._assumed.update(converted.tops)
        if converted.shapeless:
            self._shapeless.append(layer.name)

    def _commit(self, operation: CaffeOperation, values: Outputs) -> None:
        layer = operation.layer
        tops = layer.tops or ((layer.name,) if values and is_loss(layer.type) else ())
        if len(tops) > len(values):
            raise layer.error(
                f"lists {len(tops)} tops, it makes {len(values)}", at="top", fix="drop the others"
            )
        for top, value in zip(tops, values, strict=False):
            value.name = self._top_name(layer, top)
            self.blobs[top] = value
            self._makers[top] = layer.where
        self.graph.add_layer(operation, values)
        self._shared |= operation.declared
        operation.outputs = values[: len(tops)]
        self.layers.append(operation)

    def _top_name(self, layer: CaffeLayer, top: str) -> str:
        """The blob's own name for its final value, `blob/layer` for those before."""
        if top in self.blobs and top not in layer.bottoms:
            raise layer.error(
                f"makes the blob {top!r}, which {self._makers[top]} made already",
                at="top",
                fix="give one of them another name, or read the blob to work in place",
            )
        self._writers[top] -= 1
        final = self._writers[top] <= 0 and top not in self.graph.names
        return self.graph.names.unique(top if final else f"{top}/{layer.name}")

    def outputs(self) -> list[ir.Value]:
        """The blobs that no layer reads."""
        values = (value for node in self.graph.nodes for value in node.outputs)
        blobs = set(self.blobs.values())
        return [value for value in values if value in blobs and value not in self._consumed]

    def _unknown_shapes(self) -> list[str]:
        """Notes on layers and parameters of unknown shape."""
        notes = []
        if self._shapeless:
            notes.append(
                f"drawn without shapes and parameters, since what they read is not known: "
                f"{diagnostics.listed(self._shapeless)}"
            )
        unknown = [str(v.name) for v in self.graph.initializers if v.const_value is None]
        if unknown:
            verb = "has a shape that is" if len(unknown) == 1 else "have shapes that are"
            notes.append(
                f"{diagnostics.listed(unknown)} {verb} not known without the input's: the "
                "parameters are not counted"
            )
        return notes

    def model(self, name: str) -> ir.Model:
        """The graph as a model of the network's own name, else of this."""
        network = self.network
        model = self.graph.model(network.name or name, self.outputs(), self._unknown_shapes())
        settings = {"phase": network.state.phase, **network.settings}
        model.metadata_props[SETTINGS_KEY] = msgspec.json.encode(
            settings, order="deterministic"
        ).decode()
        return model


def _state(network: CaffeNet) -> list[str]:
    """Notes on the state that the network is read in."""
    notes = [network.choice] if network.choice else []
    if network.left_out:
        left_out = ", ".join(f"{layer.name} (line {layer.line})" for layer in network.left_out)
        notes.append(f"{network.state}: not part of it are {left_out}")
    return notes
