"""A network definition: its layers of one phase, whichever dialect they were written in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.graph import Origin
from modeldocs.loaders.caffe import v0
from modeldocs.loaders.caffe.enums import V1_TYPES
from modeldocs.loaders.caffe.prototxt import Message, parse
from modeldocs.loaders.caffe.record import Record, read
from modeldocs.loaders.caffe.tokens import Place

PHASES = ("TRAIN", "TEST")


@dataclass(frozen=True, slots=True)
class State:
    """What a network's rules are asked with."""

    phase: str = "TEST"
    level: int = 0
    stages: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class LayerSource:
    """One layer as the source gives it; `type` is the current name of an old enum's value."""

    name: str
    type: str
    bottoms: tuple[str, ...]
    tops: tuple[str, ...]
    record: Record

    @property
    def line(self) -> int | None:
        """Line that the layer starts on; a binary file has none."""
        return self.record.place.line or None

    @property
    def where(self) -> str:
        """The layer's place as a sentence names it."""
        return f"line {self.line}" if self.line else f"layer {self.name!r}"

    def origin(self) -> Origin:
        """The layer as a node's provenance tells it: every field but its name and type."""
        attributes = (self.record.former or self.record).plain()
        attributes.pop("name", None)
        if attributes.get("type") == self.type:
            del attributes["type"]
        return Origin(
            operator=self.type,
            name=self.name,
            attributes=attributes,
            file=self.record.file,
            line=self.line,
        )

    def error(self, reason: str, *, at: str | None = None, mend: str) -> ModeldocsError:
        """The error to raise, naming the layer."""
        return self.record.error(f"layer {self.name!r} ({self.type}) {reason}", at=at, mend=mend)


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
    state, layers = _state(net, args), _layers(net)
    made = _network(net, state, layers, [_included(layer, state) for layer in layers])
    return replace(made, text=text)


def saved_network(net: Message, file: str, args: dict[str, Any]) -> Network:
    """The network that a `.caffemodel` holds: its rules were kept to when it was saved."""
    record = _read(net, file)
    layers = _layers(record)
    return _network(record, _state(record, args), layers, [True] * len(layers))


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
            "the network has no layers", file=net.file, mend="give it `layer { … }` blocks"
        )
    return layers


def _layer_records(net: Record) -> list[Record]:
    if net.has("layer") and net.has("layers"):
        raise net.error(
            "the network mixes `layer` and `layers`",
            at="layers",
            mend="write all of them as `layer`, with the type in quotes",
        )
    return [*net.all("layer"), *net.all("layers")]


def _layer(record: Record, index: int) -> LayerSource:
    kind = record.text("type")
    if not kind:
        raise record.error("a layer has no type", mend='give it one, such as type: "ReLU"')
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


def _state(net: Record, args: dict[str, Any]) -> State:
    unknown = sorted(set(args) - {"phase", "level", "stage", "weights"})
    if unknown:
        raise ModeldocsError(
            f"a Caffe network takes no argument {unknown[0]!r}",
            file=net.file,
            mend="give phase, level, stage or weights",
        )
    given = net.message("state")
    phase = str(args.get("phase", given.get("phase") or "TEST")).upper()
    stages = args.get("stage", given.all("stage"))
    level = args.get("level", given.get("level"))
    if phase not in PHASES or not isinstance(level, int):
        wrong = f"phase {phase!r}" if phase not in PHASES else f"level {level!r}"
        raise ModeldocsError(
            f"there is no {wrong}",
            file=net.file,
            mend="give phase TRAIN or TEST, and level a whole number",
        )
    return State(phase, level, frozenset([stages] if isinstance(stages, str) else map(str, stages)))


def _included(layer: LayerSource, state: State) -> bool:
    include, exclude = layer.record.all("include"), layer.record.all("exclude")
    if include and exclude:
        raise layer.error(
            "has both include and exclude rules", at="exclude", mend="keep only one kind"
        )
    if include:
        return any(_meets(rule, state) for rule in include)
    return not any(_meets(rule, state) for rule in exclude)


def _meets(rule: Record, state: State) -> bool:
    return (
        rule.get("phase") in (None, state.phase)
        and (not rule.has("min_level") or state.level >= rule.integer("min_level"))
        and (not rule.has("max_level") or state.level <= rule.integer("max_level"))
        and all(stage in state.stages for stage in rule.all("stage"))
        and not any(stage in state.stages for stage in rule.all("not_stage"))
    )


def _slips(net: Record) -> tuple[str, ...]:
    return tuple(
        (f"line {place.line}: " if place.line else "")
        + f"Caffe has no field {name!r}, it may be {near!r} mistyped; "
        "it is shown and has no effect"
        for name, place, near in net.unknown()
        if near
    )
