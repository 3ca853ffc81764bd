"""The layers of a network put together into one ONNX graph."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence

import msgspec
import onnx_ir as ir

import modeldocs
from modeldocs import origin
from modeldocs.errors import ModeldocsError
from modeldocs.graph import Dim
from modeldocs.loaders.caffe.blobs import Dims, UnknownShapeError, shape_of
from modeldocs.loaders.caffe.inputs import NetInput, Shapes, is_input
from modeldocs.loaders.caffe.layer import (
    DOMAIN,
    EMITTERS,
    CaffeLayer,
    Tops,
)
from modeldocs.loaders.caffe.network import LayerSource, Network
from modeldocs.loaders.caffe.record import nearest

OPSET = 21
NOTES_KEY = "modeldocs.notes"
SETTINGS_KEY = "modeldocs.caffe"


def assemble(
    network: Network, inputs: Sequence[NetInput], shapes: Shapes, *, name: str
) -> ir.Model:
    """The network as an ONNX model, every value with its shape and type.

    Raises:
        ModeldocsError: a layer reads what no layer makes, or its settings do not fit its input.
    """
    assembly = Assembly(network, shapes.notes)
    for one in inputs:
        assembly.add_input(one, shapes.by_name[one.name])
    for layer in network.layers:
        if not is_input(layer):
            assembly.add_layer(layer)
    return assembly.model(network.name or name)


class Assembly:
    """The graph so far. Caffe's blobs are overwritten in place; `blobs` has the latest of each."""

    def __init__(self, network: Network, notes: Sequence[str]) -> None:
        self.network = network
        self.notes = [*_left_out(network), *notes, *network.slips]
        self.inputs: list[ir.Value] = []
        self.nodes: list[ir.Node] = []
        self.initializers: list[ir.Value] = []
        self.blobs: dict[str, ir.Value] = {}
        self._makers: dict[str, int] = {}
        self._writers = Counter(top for layer in network.layers for top in layer.tops)
        self._names: dict[str, int] = {}
        self._shared: dict[str, ir.Value] = {}
        self._consumed: set[ir.Value] = set()
        self._assumed: set[ir.Value] = set()

    def add_input(self, one: NetInput, shape: Dims) -> None:
        """Add an input blob; the shape that the source gave stays in its provenance."""
        value = ir.Value(
            name=self._unique(one.name),
            shape=ir.Shape(shape),
            type=ir.TensorType(ir.DataType.FLOAT),
        )
        told = origin.Provenance(origins=(one.origin,), name=one.origin.name)
        value.metadata_props[origin.KEY] = msgspec.json.encode(told, order="deterministic").decode()
        self.inputs.append(value)
        self.blobs[one.name] = value
        self._makers[one.name] = one.origin.line or 1

    def add_layer(self, source: LayerSource) -> None:
        """Add a layer's nodes; a loss whose label the network lacks is told in a note instead."""
        missing = [name for name in source.bottoms if name not in self.blobs]
        if missing and _needs_label(source, missing[0]):
            self.notes.append(
                f"line {source.line}: {source.type} {source.name!r} is left out, since nothing "
                f"gives {missing[0]!r}"
            )
            return
        if missing:
            raise self._missing(source, missing[0])
        bottoms = [self.blobs[name] for name in source.bottoms]
        layer, tops = self._emit(source, bottoms)
        self._consumed.update(bottoms)
        self._commit(layer, tops)
        if not self._assumed.isdisjoint(bottoms):
            self._assumed.update(tops)

    def _emit(self, source: LayerSource, bottoms: list[ir.Value]) -> tuple[CaffeLayer, Tops]:
        layer = CaffeLayer(source, bottoms, self.network.state.phase, self._shared)
        emit = EMITTERS.get(source.type)
        if emit is None:
            return layer, self._unknown_type(layer)
        try:
            return layer, emit(layer)
        except UnknownShapeError:
            pass
        except ModeldocsError:
            if self._assumed.isdisjoint(bottoms):
                raise
        layer = CaffeLayer(source, bottoms, self.network.state.phase, self._shared)
        self.notes.append(
            f"line {source.line}: {source.type} {source.name!r} is drawn without its parameters "
            "and shape, since the shape it reads is not known"
        )
        return layer, layer.opaque([_unknown_like(layer)] * max(1, len(source.tops)))

    def _unknown_type(self, layer: CaffeLayer) -> Tops:
        """A layer of a fork: drawn as it is. Most are activations, which keep their shape."""
        source = layer.source
        if _is_loss(source.type):
            return layer.opaque([()] * max(1, len(source.tops)))
        near = nearest(source.type, list(EMITTERS), cutoff=0.8)
        asks = f"; is it {near!r} mistyped?" if near else ""
        self.notes.append(
            f"line {source.line}: {source.type!r} is no layer type of Caffe's{asks} "
            f"{source.name!r} is drawn as it is, its output taken to be of its input's shape"
        )
        tops = layer.opaque([layer.shape()] * len(source.tops))
        self._assumed.update(tops)
        return tops

    def _commit(self, layer: CaffeLayer, values: Tops) -> None:
        source = layer.source
        tops = source.tops or ((source.name,) if values and _is_loss(source.type) else ())
        if len(tops) > len(values):
            raise layer.error(
                f"lists {len(tops)} tops, it makes {len(values)}", at="top", mend="drop the others"
            )
        for value in layer.initializers:
            value.name = self._unique(value.name or source.name)
        for top, value in zip(tops, values, strict=False):
            value.name = self._top_name(source, top)
            self.blobs[top] = value
            self._makers[top] = source.line
        self._name_nodes(layer)
        self._shared |= layer.declared
        self.nodes += layer.nodes
        self.initializers += layer.initializers

    def _top_name(self, source: LayerSource, top: str) -> str:
        """The blob's own name for what it holds in the end, `blob/layer` before."""
        if top in self.blobs and top not in source.bottoms:
            raise source.error(
                f"makes the blob {top!r}, which line {self._makers[top]} made already",
                at="top",
                mend="give one of them another name, or read the blob to work in place",
            )
        self._writers[top] -= 1
        last = self._writers[top] <= 0 and top not in self._names
        return self._unique(top if last else f"{top}/{source.name}")

    def _name_nodes(self, layer: CaffeLayer) -> None:
        for node in layer.nodes:
            last = node is layer.nodes[-1]
            stem = layer.name if last else f"{layer.name}/{node.op_type}"
            node.name = self._unique(stem, "node ")
            for value in node.outputs:
                value.name = value.name or self._unique(f"{layer.name}/{node.op_type}")

    def _unique(self, name: str, space: str = "") -> str:
        made = name
        while space + made in self._names:
            self._names[space + name] += 1
            made = f"{name}_{self._names[space + name]}"
        self._names[space + made] = 1
        return made

    def _missing(self, source: LayerSource, name: str) -> ModeldocsError:
        made = [layer for layer in self.network.layers if name in layer.tops]
        elsewhere = [layer for layer in self.network.left_out if name in layer.tops]
        near = nearest(name, list(self.blobs))
        if made:
            mend = f"move it below {made[0].name!r} of line {made[0].line}, which makes the blob"
        elif elsewhere:
            mend = (
                f"line {elsewhere[0].line} makes it, in another phase or stage: pass that as "
                "--args, or give the layer the same rules"
            )
        else:
            mend = f"did you mean {near!r}?" if near else f"make {name!r} in a layer before it"
        return source.error(
            f"reads {name!r}, which no layer before it makes", at="bottom", mend=mend
        )

    def model(self, name: str) -> ir.Model:
        """The model; its outputs are the blobs that no layer reads."""
        made = [value for node in self.nodes for value in node.outputs]
        held = set(self.blobs.values())
        outputs = [value for value in made if value in held and value not in self._consumed]
        imports = {"": OPSET}
        if any(node.domain == DOMAIN for node in self.nodes):
            imports[DOMAIN] = 1
        graph = ir.Graph(
            self.inputs,
            outputs,
            nodes=self.nodes,
            initializers=self.initializers,
            opset_imports=imports,
            name=name,
        )
        model = ir.Model(
            graph,
            ir_version=10,
            producer_name="modeldocs",
            producer_version=modeldocs.__version__,
        )
        model.metadata_props[NOTES_KEY] = msgspec.json.encode(self.notes).decode()
        told = {"phase": self.network.state.phase, **self.network.settings}
        model.metadata_props[SETTINGS_KEY] = msgspec.json.encode(
            told, order="deterministic"
        ).decode()
        return model


def _left_out(network: Network) -> list[str]:
    if not network.left_out:
        return []
    told = ", ".join(f"{layer.name} (line {layer.line})" for layer in network.left_out)
    return [f"phase {network.state.phase}: not part of it are {told}"]


def _is_loss(kind: str) -> bool:
    return kind.endswith("Loss") or kind == "Accuracy"


def _needs_label(source: LayerSource, missing: str) -> bool:
    """Whether a loss lacks its label: not its prediction, and not by a slip of the pen."""
    slip = any(
        difflib.SequenceMatcher(None, missing, name).ratio() > 0.8 for name in source.bottoms[:1]
    )
    return _is_loss(source.type) and missing in source.bottoms[1:] and not slip


def _unknown_like(layer: CaffeLayer) -> Dims:
    """The rank and batch of the first input; the rest is not known."""
    shape = shape_of(layer.bottoms[0]) if layer.bottoms else ()
    unknown: tuple[Dim, ...] = (None,) * (len(shape) - 1)
    return (*shape[:1], *unknown)
