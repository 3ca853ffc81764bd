"""The layers of a network put together into one ONNX graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.loaders.caffe import foreign
from modeldocs.loaders.caffe.caffemodel import Blob
from modeldocs.loaders.caffe.data_layers import feeds
from modeldocs.loaders.caffe.emission import Surroundings, draw
from modeldocs.loaders.caffe.foreign import listed
from modeldocs.loaders.caffe.inputs import NetInput, Shapes
from modeldocs.loaders.caffe.layer import EMITTERS, CaffeLayer, Tops
from modeldocs.loaders.caffe.layer_source import LayerSource
from modeldocs.loaders.caffe.losses import is_loss, needs_label
from modeldocs.loaders.caffe.missing import missing_blob
from modeldocs.loaders.caffe.network import Network
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission import model
from modeldocs.loaders.emission.names import Names

SETTINGS_KEY = "modeldocs.caffe"


@dataclass(frozen=True, slots=True)
class Assembled:
    """A layer that was put in: what it reads and makes, and what its blobs became, by index."""

    source: LayerSource
    bottoms: tuple[ir.Value, ...]
    blobs: dict[int, ir.Value]
    nodes: tuple[ir.Node, ...]
    tops: tuple[ir.Value, ...]


Blobs = Mapping[str, Sequence[Blob]]
"""What a `.caffemodel` gives each layer."""


def assemble(
    network: Network, inputs: Sequence[NetInput], shapes: Shapes, blobs: Blobs | None = None
) -> Assembly:
    """The network as an ONNX graph, every value with its shape and type.

    `blobs` tell the parameters of layers that only a fork knows.

    Raises:
        ModeldocsError: a layer reads what no layer makes, or its settings do not fit its input.
    """
    assembly = Assembly(network, shapes.notes, blobs or {})
    for one in inputs:
        assembly.add_input(one, shapes.by_name[one.name])
    for layer in network.layers:
        if not feeds(layer):
            assembly.add_layer(layer)
    return assembly


class Assembly:
    """The graph so far. Caffe's blobs are overwritten in place; `blobs` has the latest of each."""

    def __init__(self, network: Network, notes: Sequence[str], given: Blobs) -> None:
        self.network = network
        self.given = given
        self.notes = [
            *_left_out(network),
            *notes,
            *network.slips,
            *foreign.fields(network, EMITTERS),
        ]
        self.inputs: list[ir.Value] = []
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []
        self.blobs: dict[str, ir.Value] = {}
        self.layers: list[Assembled] = []
        self._makers: dict[str, str] = {}
        self._writers = Counter(top for layer in network.layers for top in layer.tops)
        self._names = Names()
        self._shared: dict[str, ir.Value] = {}
        self._consumed: set[ir.Value] = set()
        self._assumed: set[ir.Value] = set()
        self._shapeless: list[str] = []

    def add_input(self, one: NetInput, shape: Dims | None) -> None:
        """Add an input blob; the shape that the source gave stays in its provenance."""
        value = ir.Value(
            name=self._names.unique(one.name),
            shape=None if shape is None else ir.Shape(shape),
            type=ir.TensorType(ir.DataType.FLOAT),
        )
        told = origin.Provenance(origins=(one.origin,), name=one.origin.name)
        origin.attach(value, told)
        self.inputs.append(value)
        self.blobs[one.name] = value
        self._makers[one.name] = f"line {one.origin.line}" if one.origin.line else "an input"

    def add_layer(self, source: LayerSource) -> None:
        """Add a layer's nodes; a loss whose label the network lacks is told in a note instead."""
        missing = [name for name in source.bottoms if name not in self.blobs]
        if missing and needs_label(source, missing[0]):
            self.notes.append(
                f"{source.where}: {source.type} {source.name!r} is left out, since nothing "
                f"gives {missing[0]!r}"
            )
            return
        if missing:
            raise missing_blob(self.network, source, missing[0], list(self.blobs))
        bottoms = [self.blobs[name] for name in source.bottoms]
        assumed = not self._assumed.isdisjoint(bottoms)
        given = self.given.get(source.name, ())
        phase = self.network.state.phase
        drawn = draw(source, Surroundings(bottoms, phase, self._shared, given, assumed))
        self._consumed.update(bottoms)
        self._commit(drawn.layer, drawn.tops)
        self.notes += drawn.layer.notes
        if drawn.assumed:
            self._assumed.update(drawn.tops)
        if drawn.shapeless:
            self._shapeless.append(source.name)

    def _commit(self, layer: CaffeLayer, values: Tops) -> None:
        source = layer.source
        tops = source.tops or ((source.name,) if values and is_loss(source.type) else ())
        if len(tops) > len(values):
            raise layer.error(
                f"lists {len(tops)} tops, it makes {len(values)}", at="top", fix="drop the others"
            )
        for top, value in zip(tops, values, strict=False):
            value.name = self._top_name(source, top)
            self.blobs[top] = value
            self._makers[top] = source.where
        layer.give_names(self._names, values)
        self._shared |= layer.declared
        self.nodes += layer.nodes
        self.initializers += layer.initializers
        made = (tuple(layer.bottoms), layer.blobs, tuple(layer.nodes), tuple(values[: len(tops)]))
        self.layers.append(Assembled(source, *made))

    def _top_name(self, source: LayerSource, top: str) -> str:
        """The blob's own name for what it holds in the end, `blob/layer` before."""
        if top in self.blobs and top not in source.bottoms:
            raise source.error(
                f"makes the blob {top!r}, which {self._makers[top]} made already",
                at="top",
                fix="give one of them another name, or read the blob to work in place",
            )
        self._writers[top] -= 1
        last = self._writers[top] <= 0 and top not in self._names
        return self._names.unique(top if last else f"{top}/{source.name}")

    def outputs(self) -> list[ir.Value]:
        """The blobs that no layer reads."""
        made = [value for node in self.nodes for value in node.outputs]
        held = set(self.blobs.values())
        return [value for value in made if value in held and value not in self._consumed]

    def _not_known(self) -> list[str]:
        """What is not known of layers, since what they read is not."""
        notes = []
        if self._shapeless:
            notes.append(
                f"drawn without shapes and parameters, since what they read is not known: "
                f"{listed(self._shapeless)}"
            )
        unknown = [str(v.name) for v in self.initializers if v.const_value is None]
        if unknown:
            verb = "has a shape that is" if len(unknown) == 1 else "have shapes that are"
            notes.append(
                f"{listed(unknown)} {verb} not known without the input's: the parameters are not "
                "counted"
            )
        return notes

    def model(self, name: str) -> ir.Model:
        """The model, by the source's name or else this."""
        made = model.finished(
            self.network.name or name,
            self.inputs,
            self.outputs(),
            nodes=self.nodes,
            initializers=self.initializers,
            notes=[*self.notes, *self._not_known()],
        )
        told = {"phase": self.network.state.phase, **self.network.settings}
        made.metadata_props[SETTINGS_KEY] = msgspec.json.encode(
            told, order="deterministic"
        ).decode()
        return made


def _left_out(network: Network) -> list[str]:
    chosen = [network.choice] if network.choice else []
    if not network.left_out:
        return chosen
    told = ", ".join(f"{layer.name} (line {layer.line})" for layer in network.left_out)
    return [*chosen, f"{network.state}: not part of it are {told}"]
