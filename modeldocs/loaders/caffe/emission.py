"""One layer drawn: by its type, or as it is where its type, a setting or a shape is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim
from modeldocs.loaders.caffe.caffemodel import Blob
from modeldocs.loaders.caffe.layer import EMITTERS, CaffeLayer, Tops
from modeldocs.loaders.caffe.layer_source import LayerSource
from modeldocs.loaders.caffe.losses import is_loss
from modeldocs.loaders.caffe.record import nearest
from modeldocs.loaders.dims import Dims, UnknownShapeError
from modeldocs.loaders.emission.inference import shape_of


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a layer is drawn with: the blobs it reads, and those given for its parameters.

    `assumed` is whether the shape of something it reads is but an assumption.
    """

    bottoms: Sequence[ir.Value]
    phase: str
    shared: Mapping[str, ir.Value]
    given: Sequence[Blob]
    assumed: bool


@dataclass(frozen=True, slots=True)
class Drawn:
    """A layer with its tops.

    `assumed` is whether the shapes of its tops are assumptions; `shapeless` whether it was drawn
    without any, since it needs one that is not known.
    """

    layer: CaffeLayer
    tops: Tops
    assumed: bool = False
    shapeless: bool = False


def draw(source: LayerSource, around: Surroundings) -> Drawn:
    """The layer in ONNX.

    Raises:
        ModeldocsError: its settings do not fit what it reads.
    """
    layer = _layer(source, around)
    emit = EMITTERS.get(source.type)
    if emit is None:
        return _unknown_type(layer)
    choice = next(source.record.foreign(), None)
    if choice is not None:
        field, value, near = choice
        reason = f"{value!r} is no value of Caffe's for {field!r}"
        if not is_loss(source.type):
            return _as_it_is(layer, reason, near)
        layer.notes.append(f"{source.where}: {reason}, shown as {source.name!r} has it")
    try:
        tops = emit(layer)
        return Drawn(layer, tops, assumed=around.assumed)
    except UnknownShapeError:
        pass
    except ModeldocsError:
        if not around.assumed:
            raise
    layer = _layer(source, around)
    tops = layer.opaque(_unknown_like(layer), inputs=_operands(layer))
    return Drawn(layer, tops, assumed=around.assumed, shapeless=True)


def _layer(source: LayerSource, around: Surroundings) -> CaffeLayer:
    return CaffeLayer(source, around.bottoms, around.phase, around.shared, around.given)


def _operands(layer: CaffeLayer) -> list[ir.Value]:
    """What a layer reads that is drawn as it is: its bottoms, and blobs as far as known."""
    declared = [
        layer.parameter(f"blob{index}", blob.shape, index) for index, blob in enumerate(layer.given)
    ]
    return [*layer.bottoms, *declared]


def _unknown_type(layer: CaffeLayer) -> Drawn:
    """A layer of a fork: drawn as it is. Most are activations, which keep their shape."""
    source = layer.source
    if is_loss(source.type):
        return Drawn(layer, layer.opaque([()] * max(1, len(source.tops))))
    own = any(source.record.is_own(name) for name in source.record.values)
    near = None if own else nearest(source.type, list(EMITTERS), cutoff=0.8)
    return _as_it_is(layer, f"{source.type!r} is no layer type of Caffe's", near)


def _as_it_is(layer: CaffeLayer, reason: str, near: str | None) -> Drawn:
    source = layer.source
    asks = f"; is it {near!r} mistyped?" if near else ""
    layer.notes.append(
        f"{source.where}: {reason}{asks or ';'} "
        f"{source.name!r} is drawn as it is, its output taken to be of its input's shape"
    )
    shapes = [_shape(layer)] * len(source.tops)
    tops = layer.opaque(shapes, inputs=_operands(layer))
    return Drawn(layer, tops, assumed=True)


def _shape(layer: CaffeLayer) -> Dims | None:
    value = layer.bottom()
    return None if value.shape is None else shape_of(value)


def _unknown_like(layer: CaffeLayer) -> list[Dims | None]:
    """The rank and batch of the first input; the rest is not known."""
    shape = _shape(layer) if layer.bottoms else ()
    unknown: tuple[Dim, ...] = (None,) * (len(shape or ()) - 1)
    made = None if shape is None else (*shape[:1], *unknown)
    return [made] * max(1, len(layer.source.tops))
