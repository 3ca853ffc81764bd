"""The network's inputs: which blobs it is fed with, and their shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from modeldocs.errors import ModeldocsError
from modeldocs.graph import Dim, Origin
from modeldocs.loaders.caffe.network import LayerSource, Network
from modeldocs.loaders.caffe.record import Record, nearest
from modeldocs.loaders.dims import MAX_RANK, Dims, said


@dataclass(frozen=True, slots=True)
class NetInput:
    """A blob that the network is fed with.

    `shape` is the source's, None where only the data would tell it. `beside` names the input
    whose batch this one has, as a label its image's.
    """

    name: str
    shape: Dims | None
    origin: Origin
    beside: str | None = None


def is_input(layer: LayerSource) -> bool:
    """Whether a layer only feeds blobs in; any other layer without bottoms does, too."""
    return layer.type in _SHAPES or (not layer.bottoms and layer.type != "Parameter")


def network_inputs(network: Network) -> list[NetInput]:
    """The inputs of a network, those at its top level first, then in the order of its layers.

    A label that no layer of the phase reads is none.
    """
    found = [NetInput(given.name, given.shape, given.origin) for given in network.inputs]
    read = {bottom for layer in network.layers for bottom in layer.bottoms}
    for layer in network.layers:
        if is_input(layer):
            made = _layer_inputs(layer)
            found += [one for one in made if one.beside is None or one.name in read]
    return found


def _layer_inputs(layer: LayerSource) -> list[NetInput]:
    shapes = _SHAPES.get(layer.type, _unknown)(layer)
    shapes += [None] * (len(layer.tops) - len(shapes))
    first = layer.tops[0] if layer.tops else None
    fed_by_name = layer.type in ("Input", "DummyData")
    return [
        NetInput(top, shape, layer.origin(), None if fed_by_name or not index else first)
        for index, (top, shape) in enumerate(zip(layer.tops, shapes, strict=False))
    ]


def _given(layer: LayerSource) -> list[Dims | None]:
    """Input: a shape for each top, or one for all."""
    shapes: list[Dims | None] = [
        tuple(s.all("dim")) for s in layer.record.message("input_param").all("shape")
    ]
    return shapes * len(layer.tops) if len(shapes) == 1 else shapes


def _dummy(layer: LayerSource) -> list[Dims | None]:
    param = layer.record.message("dummy_data_param")
    shapes: list[Dims | None] = [tuple(shape.all("dim")) for shape in param.all("shape")]
    if not shapes:
        axes = [param.all(axis) for axis in ("num", "channels", "height", "width")]
        count = min(len(axis) for axis in axes)
        shapes = [tuple(int(axis[index]) for axis in axes) for index in range(count)]
    return shapes * len(layer.tops) if len(shapes) == 1 else shapes


def _memory(layer: LayerSource) -> list[Dims | None]:
    param = layer.record.message("memory_data_param")
    shape = tuple(param.integer(name) for name in ("batch_size", "channels", "height", "width"))
    return [shape, (shape[0],)]


def _data(layer: LayerSource) -> list[Dims | None]:
    """Data and its kin: the crop's size says the shape, with the label beside."""
    param = _source_param(layer.record)
    batch = int(param.get("batch_size") or 1)
    return [_image(layer.record, param, batch), _label(layer, batch)]


def _label(layer: LayerSource, batch: int) -> Dims:
    # SSD's annotations are rows of eight numbers, as many as the batch has objects.
    return (1, 1, "objects", 8) if layer.type == "AnnotatedData" else (batch,)


def _source_param(record: Record) -> Record:
    names = ("data_param", "image_data_param", "window_data_param", "hdf5_data_param")
    return record.message(next((name for name in names if record.has(name)), "data_param"))


def _image(record: Record, param: Record, batch: int) -> Dims | None:
    transform = record.message("transform_param")
    crop = int(transform.get("crop_size") or param.get("crop_size") or 0)
    resize = transform.message("resize_param")
    height = crop or resize.get("height") or param.get("new_height") or 0
    width = crop or resize.get("width") or param.get("new_width") or 0
    if not (height and width):
        return None
    gray = transform.flag("force_gray") or param.get("is_color") is False
    return (batch, 1 if gray else 3, int(height), int(width))


def _hdf5(layer: LayerSource) -> list[Dims | None]:
    """HDF5Data: the file holds the shapes; only a label's can be told without it."""
    batch = int(layer.record.message("hdf5_data_param").get("batch_size") or 1)
    shapes: list[Dims | None] = [(batch,) if "label" in top else None for top in layer.tops]
    return [None, *shapes[1:]]


def _unknown(layer: LayerSource) -> list[Dims | None]:
    return [None] * len(layer.tops)


_SHAPES: dict[str, Callable[[LayerSource], list[Dims | None]]] = {
    "Input": _given, "DummyData": _dummy, "MemoryData": _memory, "Data": _data,
    "ImageData": _data, "WindowData": _data, "AnnotatedData": _data, "VideoData": _data,
    "ImageSegData": _data, "HDF5Data": _hdf5,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes that inputs are drawn with, and a sentence for each that is not the source's."""

    by_name: dict[str, Dims]
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
        ModeldocsError: a shape is not known, is impossible, or is asked for an unknown input.
    """
    inputs = list(inputs)
    wanted = _by_name(inputs, asked, file)
    batches = _batches(inputs, wanted) if single else set()
    shapes: dict[str, Dims] = {}
    notes = []
    for one in inputs:
        shape = wanted.get(one.name, one.shape)
        if shape is None:
            raise _shape_missing(one, inputs, file)
        if one.name not in wanted and one.beside in shapes and len(shape) == 1:
            shape = shapes[one.beside][:1]
        elif one.name not in wanted and shape and shape[0] in batches:
            notes.append(f"input {one.name!r}: batch {shape[0]} in the source, drawn as 1")
            shape = (1, *shape[1:])
        shapes[one.name] = _checked(one, shape, file)
    return Shapes(shapes, tuple(notes), bool(batches))


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
                f"the network has {said}", file=file, mend=f"name the input: {near}"
            )
    return wanted


def _shape_missing(one: NetInput, inputs: list[NetInput], file: str) -> ModeldocsError:
    names = [other.name for other in inputs if other.shape is None]
    return ModeldocsError(
        f"the shape of the input {one.name!r} ({one.origin.operator}) is in the data, not in the "
        "definition",
        file=file,
        line=one.origin.line,
        mend="give `inputs` in model.yml, or "
        + " ".join(f"--input {name}=1,1,28,28" for name in names)
        + " with the shape you have",
    )


def _checked(one: NetInput, shape: Dims, file: str) -> Dims:
    count = 1
    for dim in shape or (1,):
        count *= dim if isinstance(dim, int) else 1
        if count < 1 or count >= 2**31 or len(shape) > MAX_RANK:
            raise ModeldocsError(
                f"the input {one.name!r} cannot have the shape {said(shape[:MAX_RANK])}",
                file=file,
                line=one.origin.line,
                mend=f"give at most {MAX_RANK} dimensions from 1 up, below 2³¹ values in all",
            )
    return shape
