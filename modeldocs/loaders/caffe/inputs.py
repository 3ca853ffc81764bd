"""The network's inputs: which blobs it is fed with, and their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim, Origin
from modeldocs.loaders.caffe import readers
from modeldocs.loaders.caffe.data_layers import fed, feeds
from modeldocs.loaders.caffe.format.blobs import Blob
from modeldocs.loaders.caffe.format.record import nearest
from modeldocs.loaders.caffe.layer import Layer
from modeldocs.loaders.caffe.program import Network
from modeldocs.loaders.dims import MAX_RANK, Dims, said

_AXES = ("batch", "channels", "height", "width")


@dataclass(frozen=True, slots=True)
class NetInput:
    """A blob that the network is fed with.

    `shape` is what the source tells of it, None where not even the rank. `beside` names the input
    whose batch this one has, as a label its image's. `inferred` and `assumed` say what of the
    shape is by other settings, and by none.
    """

    name: str
    shape: Dims | None
    origin: Origin
    beside: str | None = None
    inferred: str = ""
    assumed: str = ""


def network_inputs(
    network: Network, weights: Mapping[str, Sequence[Blob]] | None = None
) -> list[NetInput]:
    """The inputs of a network, those at its top level first, then in the order of its layers.

    A label that no layer of the phase reads is none. Weights tell channels that are not known.
    """
    found = [NetInput(given.name, given.shape, given.origin) for given in network.inputs]
    read = {bottom for layer in network.layers for bottom in layer.bottoms}
    for layer in network.layers:
        if feeds(layer):
            made = _layer_inputs(layer, network)
            found += [one for one in made if one.beside is None or one.name in read]
    found = found or _unfed(network)
    return [_weighed(_ranked(one, network, None), network, weights or {}) for one in found]


def _unfed(network: Network) -> list[NetInput]:
    """What a network that nothing feeds reads and no layer of it makes, in any state."""
    made = {top for layer in (*network.layers, *network.left_out) for top in layer.tops}
    found: dict[str, NetInput] = {}
    for layer in network.layers:
        missing = [bottom for bottom in layer.bottoms if bottom not in made]
        for name in () if missing and layer.lacks_label(missing[0]) else missing:
            told = Origin(operator="bottom", name=name, file=network.file, line=layer.line)
            found.setdefault(name, NetInput(name, None, told, inferred="nothing feeds it"))
    return list(found.values())


def _layer_inputs(layer: Layer, network: Network) -> list[NetInput]:
    first = layer.tops[0] if layer.tops else None
    fed_by_name = layer.type in ("Input", "DummyData")
    made = []
    for index, (top, told) in enumerate(zip(layer.tops, fed(layer), strict=True)):
        beside = None if fed_by_name or not index else first
        one = NetInput(top, told.shape, layer.origin(), beside, told.inferred, told.assumed)
        made.append(_ranked(one, network, told.batch))
    return made


def _ranked(one: NetInput, network: Network, batch: Dim) -> NetInput:
    """An input of no known shape, with the rank that its readers ask for."""
    wanted = readers.rank(network, one.name) if one.shape is None else None
    return one if wanted is None else replace(one, shape=(batch, *[None] * (wanted - 1)))


def _weighed(one: NetInput, network: Network, weights: Mapping[str, Sequence[Blob]]) -> NetInput:
    """An input whose channels are not told, with those that weights are for."""
    if one.shape is None or len(one.shape) != readers.IMAGE:
        return one
    open_ = one.shape[1] is None or one.assumed
    found = readers.channels(network, one.name, weights) if open_ else None
    if found is None:
        return one
    count, layer = found
    said = f"{count} channels by the weights of {layer!r}"
    shape = (one.shape[0], count, *one.shape[2:])
    return replace(one, shape=shape, inferred=said, assumed="")


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes that inputs are drawn with, None for one of unknown rank; and a sentence for each
    that is not the source's, or not known.
    """

    by_name: dict[str, Dims | None]
    notes: tuple[str, ...]
    single: bool
    """Whether a batch was drawn as 1."""


def choose_shapes(
    inputs: Iterable[NetInput],
    asked: Mapping[str, tuple[int, ...]],
    file: str,
    *,
    single: bool = True,
) -> Shapes:
    """The shape of each input: the one `asked` for, else the source's with its batch as 1.

    Only images (four dimensions) say what the batch is; a label follows its image. `single`
    False keeps the source's batch.

    Raises:
        ModeldocsError: a shape is impossible, or is asked for an unknown input.
    """
    inputs = list(inputs)
    wanted = _by_name(inputs, asked, file)
    batches = _batches(inputs, wanted) if single else set()
    shapes: dict[str, Dims | None] = {}
    notes = []
    for one in inputs:
        shape = wanted.get(one.name, one.shape)
        beside = shapes.get(one.beside) if one.beside is not None else None
        if one.name not in wanted and beside and shape is not None and len(shape) == 1:
            shape = beside[:1]
        elif one.name not in wanted and shape and shape[0] in batches:
            notes.append(f"input {one.name!r}: batch {shape[0]} in the source, drawn as 1")
            shape = (1, *shape[1:])
        if one.name not in wanted:
            notes += _told(one, shape)
        shapes[one.name] = None if shape is None else _checked(one, shape, file)
    return Shapes(shapes, tuple(notes), bool(batches))


def _told(one: NetInput, shape: Dims | None) -> list[str]:
    """What of a shape was not given: inferred, assumed, or not known."""
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
    if shape is None:
        return "its shape is in the data, not in the definition"
    names = _AXES if len(shape) == len(_AXES) else [f"dimension {i}" for i in range(len(shape))]
    open_ = [name for name, dim in zip(names, shape, strict=True) if dim is None]
    listed = open_[0] if len(open_) == 1 else f"{', '.join(open_[:-1])} and {open_[-1]}"
    verb = "is" if len(open_) == 1 else "are"
    return f"{listed} {verb} in the data, not in the definition"


def _batches(inputs: list[NetInput], wanted: Mapping[str, Dims]) -> set[Dim]:
    shapes = [one.shape for one in inputs if one.shape and one.name not in wanted]
    return {s[0] for s in shapes if len(s) == 4 and isinstance(s[0], int) and s[0] > 1}


def _by_name(
    inputs: list[NetInput], asked: Mapping[str, tuple[int, ...]], file: str
) -> dict[str, Dims]:
    images = [one.name for one in inputs if one.beside is None]
    names = [one.name for one in inputs]
    wanted: dict[str, Dims] = {}
    for name, shape in asked.items():
        if name == "" and len(images) == 1:
            wanted[images[0]] = tuple(shape)
        elif name in names:
            wanted[name] = tuple(shape)
        else:
            said = f"no input {name!r}" if name else f"{len(images)} inputs, not one"
            near = nearest(name, names) or ", ".join(names)
            raise ModeldocsError(
                f"the network has {said}", file=file, fix=f"name the input: {near}"
            )
    return wanted


def _checked(one: NetInput, shape: Dims, file: str) -> Dims:
    count = 1
    for dim in shape or (1,):
        count *= dim if isinstance(dim, int) else 1
        if count < 1 or count >= 2**31 or len(shape) > MAX_RANK:
            raise ModeldocsError(
                f"the input {one.name!r} cannot have the shape {said(shape[:MAX_RANK])}",
                file=file,
                line=one.origin.line,
                fix=f"give at most {MAX_RANK} dimensions from 1 up, below 2³¹ values in all",
            )
    return shape
