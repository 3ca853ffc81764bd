"""The inputs of a network: the blobs that no layer of it computes, and their shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim, Origin
from modeldocs.loaders.caffe import consumers
from modeldocs.loaders.caffe.data_layers import feeds, outputs
from modeldocs.loaders.caffe.format.blobs import Blob
from modeldocs.loaders.caffe.format.record import nearest
from modeldocs.loaders.caffe.layer import CaffeLayer
from modeldocs.loaders.caffe.program import CaffeNet
from modeldocs.loaders.dims import MAX_RANK, Dims, as_text, impossibility

_AXES = ("batch", "channels", "height", "width")

Weights = Mapping[str, Sequence[Blob]]
"""The blobs of layers, by name of the layer."""


@dataclass(frozen=True, slots=True)
class NetInput:
    """A blob that the network is fed with.

    `shape` is what the source gives of it, None where not even the rank. `beside` names the input
    with the same batch, as the images of a label. `inferred` and `assumed` say which part of the
    shape follows from other settings, and which from none.
    """

    name: str
    shape: Dims | None
    origin: Origin
    beside: str | None = None
    inferred: str = ""
    assumed: str = ""


def network_inputs(network: CaffeNet, weights: Weights | None = None) -> list[NetInput]:
    """The inputs of a network: those at its top level, then those of its layers, in order.

    Labels that no layer reads are left out. `weights` give unknown numbers of channels.
    """
    inputs = [NetInput(one.name, one.shape, one.origin) for one in network.inputs]
    read = {bottom for layer in network.layers for bottom in layer.bottoms}
    for layer in network.layers:
        if feeds(layer):
            fed = _layer_inputs(layer, network)
            inputs += [one for one in fed if one.beside is None or one.name in read]
    inputs = inputs or _missing_blobs(network)
    return [_with_channels(_ranked(one, network), network, weights or {}) for one in inputs]


def _missing_blobs(network: CaffeNet) -> list[NetInput]:
    """The blobs that layers of a network without inputs read and none makes, in any state."""
    computed = {top for layer in (*network.layers, *network.left_out) for top in layer.tops}
    inputs: dict[str, NetInput] = {}
    for layer in network.layers:
        missing = [bottom for bottom in layer.bottoms if bottom not in computed]
        for name in () if missing and layer.lacks_label(missing[0]) else missing:
            origin = Origin(operator="bottom", name=name, file=network.file, line=layer.line)
            inputs.setdefault(name, NetInput(name, None, origin, inferred="nothing feeds it"))
    return list(inputs.values())


def _layer_inputs(layer: CaffeLayer, network: CaffeNet) -> list[NetInput]:
    """An input for each top of a layer that feeds the network."""
    inputs = []
    for index, (top, fed) in enumerate(zip(layer.tops, outputs(layer), strict=True)):
        own_shape = layer.type in ("Input", "DummyData") or index == 0
        beside = None if own_shape else layer.tops[0]
        one = NetInput(top, fed.shape, layer.origin(), beside, fed.inferred, fed.assumed)
        inputs.append(_ranked(one, network, fed.batch))
    return inputs


def _ranked(one: NetInput, network: CaffeNet, batch: Dim = None) -> NetInput:
    """The input; one of unknown rank with the rank that the layers reading it ask for."""
    rank = consumers.rank(network, one.name) if one.shape is None else None
    return one if rank is None else replace(one, shape=(batch, *[None] * (rank - 1)))


def _with_channels(one: NetInput, network: CaffeNet, weights: Weights) -> NetInput:
    """The input; images of an unknown number of channels with that which weights are for."""
    if one.shape is None or len(one.shape) != consumers.IMAGE:
        return one
    if one.shape[1] is not None and not one.assumed:
        return one
    channels = consumers.channels(network, one.name, weights)
    if channels is None:
        return one
    count, layer = channels
    shape = (one.shape[0], count, *one.shape[2:])
    inferred = f"{count} channels by the weights of {layer!r}"
    return replace(one, shape=shape, inferred=inferred, assumed="")


def choose_shapes(
    inputs: Sequence[NetInput], asked: Mapping[str, tuple[int, ...]], file: str, *, single: bool
) -> tuple[dict[str, Dims | None], list[str]]:
    """The shape of each input, None for an unknown rank; and notes on those that differ.

    An input has the shape `asked` for, else the source's, with a batch of 1 where `single` is set.
    Only images (four dimensions) say what the batch is; a label follows its images.

    Raises:
        ModeldocsError: a shape is impossible, or is asked for an unknown input.
    """
    wanted = _by_name(inputs, asked, file)
    batches = _batches(inputs, wanted) if single else set()
    shapes: dict[str, Dims | None] = {}
    notes = []
    for one in inputs:
        shape = wanted.get(one.name, one.shape)
        if one.name not in wanted:
            images = shapes.get(one.beside) if one.beside is not None else None
            if images and shape is not None and len(shape) == 1:
                shape = images[:1]
            elif shape and shape[0] in batches:
                notes.append(f"input {one.name!r}: batch {shape[0]} in the source, drawn as 1")
                shape = (1, *shape[1:])
            notes += _notes(one, shape)
        shapes[one.name] = None if shape is None else _checked(one, shape, file)
    return shapes, notes


def _notes(one: NetInput, shape: Dims | None) -> list[str]:
    """Notes on the parts of a shape that are inferred, assumed, or unknown."""
    notes = [f"input {one.name!r}: {one.inferred}"] if one.inferred else []
    if one.assumed:
        notes.append(f"input {one.name!r}: {one.assumed} assumed, as the definition tells none")
    if one.beside is None and (shape is None or None in shape):
        notes.append(
            f"input {one.name!r}: {_unknown(shape)}, drawn as ? unless --input, or `inputs` in "
            "model.yml, gives the shape"
        )
    return notes


def _unknown(shape: Dims | None) -> str:
    """Which dimensions of a shape are unknown, as part of a sentence."""
    if shape is None:
        return "its shape is in the data, not in the definition"
    names = _AXES if len(shape) == len(_AXES) else [f"dimension {i}" for i in range(len(shape))]
    *others, last = [name for name, dim in zip(names, shape, strict=True) if dim is None]
    subject = f"{', '.join(others)} and {last} are" if others else f"{last} is"
    return f"{subject} in the data, not in the definition"


def _batches(inputs: Sequence[NetInput], wanted: Mapping[str, Dims]) -> set[Dim]:
    """The batches above 1 of images whose shape is the source's."""
    shapes = [one.shape for one in inputs if one.shape and one.name not in wanted]
    return {s[0] for s in shapes if len(s) == 4 and isinstance(s[0], int) and s[0] > 1}


def _by_name(
    inputs: Sequence[NetInput], asked: Mapping[str, tuple[int, ...]], file: str
) -> dict[str, Dims]:
    """The shapes that are asked for, by name of the input; `""` stands for the only images."""
    images = [one.name for one in inputs if one.beside is None]
    names = [one.name for one in inputs]
    wanted: dict[str, Dims] = {}
    for name, shape in asked.items():
        if name == "" and len(images) == 1:
            wanted[images[0]] = tuple(shape)
        elif name in names:
            wanted[name] = tuple(shape)
        else:
            reason = f"no input {name!r}" if name else f"{len(images)} inputs, not one"
            near = nearest(name, names) or ", ".join(names)
            raise ModeldocsError(
                f"the network has {reason}", file=file, fix=f"name the input: {near}"
            )
    return wanted


def _checked(one: NetInput, shape: Dims, file: str) -> Dims:
    """The shape, if a blob can have it."""
    if impossibility(shape):
        raise ModeldocsError(
            f"the input {one.name!r} cannot have the shape {as_text(shape[:MAX_RANK])}",
            file=file,
            line=one.origin.line,
            fix=f"give at most {MAX_RANK} dimensions from 1 up, below 2³¹ values in all",
        )
    return shape
