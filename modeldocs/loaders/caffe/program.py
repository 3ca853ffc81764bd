"""A network definition of any dialect as plain data: its layers in one phase."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin
from modeldocs.loaders.caffe import diagnostics, states
from modeldocs.loaders.caffe.format import first_dialect
from modeldocs.loaders.caffe.format.prototxt import Message, parse
from modeldocs.loaders.caffe.format.record import CaffeMessage, read
from modeldocs.loaders.caffe.format.tokens import TokenPosition
from modeldocs.loaders.caffe.format.v1_types import V1_TYPES
from modeldocs.loaders.caffe.layer import CaffeLayer
from modeldocs.loaders.caffe.states import NetState


@dataclass(frozen=True, slots=True)
class LegacyInput:
    """An input at the network's top level (`input: "data"`); `shape` is None if not given."""

    name: str
    shape: tuple[int, ...] | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class CaffeNet:
    """A definition's layers in one state, in order, and those that the state leaves out."""

    name: str
    file: str
    state: NetState
    inputs: tuple[LegacyInput, ...]
    layers: tuple[CaffeLayer, ...]
    left_out: tuple[CaffeLayer, ...]
    settings: dict[str, Any]
    """The net's own fields, such as `force_backward`: neither layers nor inputs."""
    mistyped: tuple[str, ...]
    """A sentence for each unknown field that resembles a known one."""
    text: str = ""
    """The definition as it was written; empty for a binary file."""
    choice: str = ""
    """Why it is read in this state, where another was the first choice."""


def read_network(text: str, file: str, args: dict[str, Any]) -> CaffeNet:
    """The network in a text. `file` is its name in errors and origins.

    Args:
        text: the definition, in protobuf's text format.
        file: its name.
        args: `phase` (TRAIN or TEST), `level` (a whole number), `stage` (a name or several).

    Raises:
        ModeldocsError: the text cannot be read, or `args` ask for a state that does not exist.
    """
    net = _read(parse(text, file), file)
    layers, inputs = _layers(net), [one.name for one in _legacy_inputs(net)]
    state, choice = states.asked(net, args), ""
    if not states.is_asked(args):
        state, choice = states.complete(layers, inputs, state)
    network = _network(net, state, layers, [states.includes(state, layer) for layer in layers])
    return replace(network, text=text, choice=choice)


def saved_network(net: Message, file: str, args: dict[str, Any]) -> CaffeNet:
    """The network in a `.caffemodel`, all of whose layers were part of it when it was saved."""
    record = _read(net, file)
    layers = _layers(record)
    return _network(record, states.asked(record, args), layers, [True] * len(layers))


def _read(net: Message, file: str) -> CaffeMessage:
    if first_dialect.is_first(net):
        net = first_dialect.upgraded(net)
    return read(net, "NetParameter", file)


def _network(
    net: CaffeMessage, state: NetState, layers: list[CaffeLayer], included: list[bool]
) -> CaffeNet:
    settings = {k: v for k, v in net.plain().items() if k not in ("name", "layer", "layers")}
    return CaffeNet(
        name=net.text("name"),
        file=net.file,
        state=state,
        inputs=_legacy_inputs(net),
        layers=tuple(layer for layer, kept in zip(layers, included, strict=True) if kept),
        left_out=tuple(layer for layer, kept in zip(layers, included, strict=True) if not kept),
        settings=settings,
        mistyped=diagnostics.mistyped_fields(net),
    )


def _layers(net: CaffeMessage) -> list[CaffeLayer]:
    layers = [_layer(record, index) for index, record in enumerate(_layer_records(net), 1)]
    if not layers:
        raise ModeldocsError(
            "the network has no layers", file=net.file, fix="give it `layer { … }` blocks"
        )
    return layers


def _layer_records(net: CaffeMessage) -> list[CaffeMessage]:
    if net.has("layer") and net.has("layers"):
        raise net.error(
            "the network mixes `layer` and `layers`",
            at="layers",
            fix="write all of them as `layer`, with the type in quotes",
        )
    return [*net.all("layer"), *net.all("layers")]


def _layer(record: CaffeMessage, index: int) -> CaffeLayer:
    kind = record.text("type")
    if not kind:
        raise record.error("a layer has no type", fix='give it one, such as type: "ReLU"')
    kind = V1_TYPES.get(kind, kind) if record.kind == "V1LayerParameter" else kind
    return CaffeLayer(
        name=record.text("name") or f"{kind}_{index}",
        type=kind,
        bottoms=tuple(record.all("bottom")),
        tops=tuple(record.all("top")),
        record=record,
    )


def _legacy_inputs(net: CaffeMessage) -> tuple[LegacyInput, ...]:
    """`input: "data"` with `input_dim` four at a time, or an `input_shape` each."""
    dims = [int(dim) for dim in net.all("input_dim")]
    shapes = [tuple(shape.all("dim")) for shape in net.all("input_shape")]
    shapes = shapes or [tuple(dims[i : i + 4]) for i in range(0, len(dims) - 3, 4)]
    line = net.places.get("input", TokenPosition(0, 0)).line or None
    inputs = []
    for index, name in enumerate(net.all("input")):
        shape = shapes[index] if index < len(shapes) else None
        attributes: dict[str, Any] = {"input": name}
        if shape is not None and net.has("input_shape"):
            attributes["input_shape"] = {"dim": list(shape)}
        elif shape is not None:
            attributes["input_dim"] = list(shape)
        origin = Origin(
            operator="input", name=name, attributes=attributes, file=net.file, line=line
        )
        inputs.append(LegacyInput(name, shape, origin))
    return tuple(inputs)
