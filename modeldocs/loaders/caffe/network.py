"""A network definition: its layers of one phase, whichever dialect they were written in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin
from modeldocs.loaders.caffe import states, v0
from modeldocs.loaders.caffe.enums import V1_TYPES
from modeldocs.loaders.caffe.layer_source import LayerSource
from modeldocs.loaders.caffe.prototxt import Message, parse
from modeldocs.loaders.caffe.record import Record, read
from modeldocs.loaders.caffe.states import State
from modeldocs.loaders.caffe.tokens import Place


@dataclass(frozen=True, slots=True)
class LegacyInput:
    """An input named at the network's top level (`input: "data"`); `shape` None if not given."""

    name: str
    shape: tuple[int, ...] | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class Network:
    """A definition's layers of one phase, in order, and those that the phase leaves out."""

    name: str
    file: str
    state: State
    inputs: tuple[LegacyInput, ...]
    layers: tuple[LayerSource, ...]
    left_out: tuple[LayerSource, ...]
    settings: dict[str, Any]
    """The net's own fields, such as `force_backward`: neither layers nor inputs."""
    slips: tuple[str, ...]
    """A sentence for each unknown field that looks like a known one mistyped."""
    text: str = ""
    """The definition as it was written; empty for a binary file."""
    choice: str = ""
    """Why it is read in this state, where another was the first choice."""


def read_network(text: str, file: str, args: dict[str, Any]) -> Network:
    """The network in a text. `file` is the name that errors and origins give.

    Args:
        text: the definition, in protobuf's text format.
        file: its name.
        args: `phase` (TRAIN or TEST), `level` (a whole number), `stage` (a name or several).

    Raises:
        ModeldocsError: the text cannot be read, or `args` ask for what there is not.
    """
    net = _read(parse(text, file), file)
    layers, inputs = _layers(net), [given.name for given in _legacy_inputs(net)]
    state = states.asked(net, args)
    state, note = (state, "") if states.is_asked(args) else states.complete(layers, inputs, state)
    made = _network(net, state, layers, [states.includes(state, layer) for layer in layers])
    return replace(made, text=text, choice=note)


def saved_network(net: Message, file: str, args: dict[str, Any]) -> Network:
    """The network that a `.caffemodel` holds: its rules were kept to when it was saved."""
    record = _read(net, file)
    layers = _layers(record)
    return _network(record, states.asked(record, args), layers, [True] * len(layers))


def _read(net: Message, file: str) -> Record:
    return read(v0.upgraded(net) if v0.is_first(net) else net, "NetParameter", file)


def _network(net: Record, state: State, layers: list[LayerSource], included: list[bool]) -> Network:
    settings = {k: v for k, v in net.plain().items() if k not in ("name", "layer", "layers")}
    return Network(
        name=net.text("name"),
        file=net.file,
        state=state,
        inputs=_legacy_inputs(net),
        layers=tuple(layer for layer, kept in zip(layers, included, strict=True) if kept),
        left_out=tuple(layer for layer, kept in zip(layers, included, strict=True) if not kept),
        settings=settings,
        slips=_slips(net),
    )


def _layers(net: Record) -> list[LayerSource]:
    layers = [_layer(record, index) for index, record in enumerate(_layer_records(net), 1)]
    if not layers:
        raise ModeldocsError(
            "the network has no layers", file=net.file, fix="give it `layer { … }` blocks"
        )
    return layers


def _layer_records(net: Record) -> list[Record]:
    if net.has("layer") and net.has("layers"):
        raise net.error(
            "the network mixes `layer` and `layers`",
            at="layers",
            fix="write all of them as `layer`, with the type in quotes",
        )
    return [*net.all("layer"), *net.all("layers")]


def _layer(record: Record, index: int) -> LayerSource:
    kind = record.text("type")
    if not kind:
        raise record.error("a layer has no type", fix='give it one, such as type: "ReLU"')
    kind = V1_TYPES.get(kind, kind) if record.kind == "V1LayerParameter" else kind
    return LayerSource(
        name=record.text("name") or f"{kind}_{index}",
        type=kind,
        bottoms=tuple(record.all("bottom")),
        tops=tuple(record.all("top")),
        record=record,
    )


def _legacy_inputs(net: Record) -> tuple[LegacyInput, ...]:
    """`input: "data"` with `input_dim` four at a time, or an `input_shape` each."""
    dims = [int(dim) for dim in net.all("input_dim")]
    shapes = [tuple(shape.all("dim")) for shape in net.all("input_shape")]
    shapes = shapes or [tuple(dims[i : i + 4]) for i in range(0, len(dims) - 3, 4)]
    line = net.places.get("input", Place(0, 0)).line or None
    made = []
    for index, name in enumerate(net.all("input")):
        shape = shapes[index] if index < len(shapes) else None
        attributes: dict[str, Any] = {"input": name}
        if shape is not None:
            said = "input_shape" if net.has("input_shape") else "input_dim"
            attributes[said] = {"dim": list(shape)} if said == "input_shape" else list(shape)
        origin = Origin(
            operator="input", name=name, attributes=attributes, file=net.file, line=line
        )
        made.append(LegacyInput(name, shape, origin))
    return tuple(made)


def _slips(net: Record) -> tuple[str, ...]:
    places: dict[tuple[str, str], list[int]] = {}
    for name, place, near in net.unknown():
        if near:
            places.setdefault((name, near), []).append(place.line)
    return tuple(
        f"{_lines(lines)}Caffe has no field {name!r}, it may be {near!r} mistyped; "
        "it is shown and has no effect"
        for (name, near), lines in places.items()
    )


def _lines(lines: list[int]) -> str:
    """Where a field stands; a binary file has no lines."""
    if not lines[0]:
        return ""
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f"line {lines[0]}{more}: "
