"""A layer while it is turned into ONNX nodes: what an emit function works with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim, origin
from modeldocs.loaders.caffe.caffemodel import Blob
from modeldocs.loaders.caffe.layer_source import LayerSource
from modeldocs.loaders.caffe.record import Record
from modeldocs.loaders.caffe.settings import settings
from modeldocs.loaders.dims import MAX_RANK, Dims, joined, said
from modeldocs.loaders.emission.builder import Builder
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.emission.inference import shape_of

Tops = Sequence[ir.Value]
Emit = Callable[["CaffeLayer"], Tops]

DOMAIN = "caffe"
EMITTERS = Emitters[Emit]()
emits = EMITTERS.emits


class CaffeLayer(Builder):
    """One layer, its inputs, and the nodes and initializers made for it so far.

    `shared` holds the parameters that the layers before share by name, `declared` those that this
    one adds. `blobs` are the layer's own parameters by index, as a `.caffemodel` has them; those
    `given` tell what the shape of an input does not.
    """

    domain = DOMAIN

    def __init__(
        self,
        source: LayerSource,
        bottoms: Sequence[ir.Value],
        phase: str,
        shared: Mapping[str, ir.Value],
        given: Sequence[Blob] = (),
    ) -> None:
        told = origin.Provenance(origins=(source.origin(),), name=source.name)
        super().__init__(told)
        self.source = source
        self.bottoms = list(bottoms)
        self.phase = phase
        self.declared: dict[str, ir.Value] = {}
        self.blobs: dict[int, ir.Value] = {}
        self.given = given
        self._shared = shared

    def param(self, field: str) -> Record:
        """The layer's settings in a field such as `convolution_param`."""
        return self.source.record.message(field)

    def bottom(self, index: int = 0) -> ir.Value:
        """An input of the layer that must be there."""
        if index >= len(self.bottoms):
            raise self.error(
                f"reads {len(self.bottoms)} blobs, it takes {index + 1}", fix="add the bottom"
            )
        return self.bottoms[index]

    def shape(self, index: int = 0, *, least: int = 0) -> Dims:
        """Dimensions of an input, of which there must be some at `least`."""
        shape = shape_of(self.bottom(index))
        if len(shape) < least:
            raise self.error(
                f"reads {said(shape)} from {self.source.bottoms[index]!r}, it takes {least} "
                "dimensions",
                at="bottom",
                fix="give it another blob, or reshape this one",
            )
        return shape

    def images(self, index: int = 0, *, least: int = 4) -> Dims:
        """Dimensions of an input that must be images: four where not even that is known."""
        known = self.bottom(index).shape is not None
        return self.shape(index, least=least) if known else (None,) * 4

    def possible(self, shape: Dims) -> Dims:
        """A shape that a blob can have."""
        known = [dim for dim in shape if isinstance(dim, int)]
        if any(dim < 1 for dim in known) or len(shape) > MAX_RANK:
            raise self.error(
                f"would have an output of {said(shape)}",
                fix="check its settings against its input's shape",
            )
        if math.prod(known) >= 2**31:
            raise self.error(
                "would have 2³¹ values or more", fix="Caffe's blobs hold fewer; check the sizes"
            )
        return shape

    def parameter(
        self, role: str, shape: Sequence[Dim], index: int, *, trainable: bool = True
    ) -> ir.Value:
        """Declare the layer's `index`-th blob, or take the one it shares by name."""
        shape = self._parameter_shape(role, self._completed(tuple(shape), index))
        name = self._shared_name(index)
        known = self._shared.get(name) or self.declared.get(name)
        if known is not None:
            self.blobs[index] = self._checked(known, shape)
            return known
        value = self.declare(name or f"{self.name}.{role}", shape, trainable=trainable)
        if name:
            self.declared[name] = value
        self.blobs[index] = value
        return value

    def _completed(self, shape: Dims, index: int) -> Dims:
        """A shape that is known in part, with what the blob given for it tells of the rest."""
        if None not in shape or index >= len(self.given):
            return shape
        held = self.given[index].shape
        # Old files have four dimensions, ones in front.
        whole = held[-len(shape) :] if set(held[: -len(shape)]) <= {1} else ()
        return joined(shape, whole) or shape

    def _parameter_shape(self, role: str, shape: Dims) -> Dims:
        known = [dim for dim in shape if isinstance(dim, int)]
        if any(dim < 1 for dim in known) or math.prod(known) >= 2**31:
            raise self.error(
                f"would have a {role} of {said(shape)}",
                fix="give sizes of at least 1, and fewer than 2³¹ values together",
            )
        return shape

    def _shared_name(self, index: int) -> str:
        params = self.source.record.all("param")
        given = params[index] if index < len(params) else ""
        return given.text("name") if isinstance(given, Record) else str(given)

    def _checked(self, value: ir.Value, shape: Dims) -> ir.Value:
        if joined(shape_of(value), shape) is None:
            raise self.error(
                f"shares {value.name!r} of {said(shape_of(value))}, its own is {said(shape)}",
                at="param",
                fix="share parameters of one shape only",
            )
        return value

    def axis(self, axis: int, rank: int, at: str) -> int:
        """An axis counted from the front, of a blob with `rank` dimensions."""
        if not -rank <= axis < rank:
            raise self.error(
                f"names the axis {axis} of a blob with {rank} dimensions",
                at=at,
                fix=f"use an axis from {-rank} to {rank - 1}",
            )
        return axis % rank

    def opaque(
        self,
        shapes: Sequence[Dims | None],
        *,
        param: str = "",
        inputs: Sequence[ir.Value] | None = None,
    ) -> list[ir.Value]:
        """Draw the layer as it is, in Caffe's own domain, with its settings as attributes.

        `param` names the field whose defaults are filled in. A shape of unknown rank is None.
        """
        operands = self.bottoms if inputs is None else inputs
        told = settings(self.source.record, param)
        return self.foreign(self.source.type, operands, shapes, told)

    def error(self, reason: str, fix: str, *, at: str | None = None) -> ModeldocsError:
        """The error to raise, naming the layer and its line."""
        return self.source.error(reason, at=at, fix=fix)
