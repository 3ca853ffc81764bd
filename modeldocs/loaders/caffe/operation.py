"""The context in which an emitter turns one layer into ONNX nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Dim, origin
from modeldocs.loaders.caffe.format.blobs import Blob
from modeldocs.loaders.caffe.format.record import CaffeMessage
from modeldocs.loaders.caffe.layer import CaffeLayer
from modeldocs.loaders.dims import Dims, as_text, impossibility, joined
from modeldocs.loaders.emission.emitters import Emitters
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Operation, Outputs

Emit = Callable[["CaffeOperation"], Outputs]

DOMAIN = "caffe"
EMITTERS = Emitters[Emit]()
emits = EMITTERS.emits
renames = EMITTERS.renames


@dataclass(frozen=True, slots=True)
class LayerContext:
    """What a layer depends on: its inputs, the phase, and the parameters `shared` by name.

    Blobs that are `given` for its parameters complete their shapes where an input's is unknown.
    `assumed` is whether the shape of an input is an assumption.
    """

    bottoms: Sequence[ir.Value]
    phase: str
    shared: Mapping[str, ir.Value]
    given: Sequence[Blob]
    assumed: bool


class CaffeOperation(Operation):
    """One layer, its inputs, and the nodes and parameters added for it so far.

    `blobs` are the layer's parameters by index, as a `.caffemodel` has them; `declared` are those
    that it adds to the parameters shared by name. `outputs` are its tops, once they are known.
    """

    domain = DOMAIN
    is_bounded = True
    reads = "blobs"

    def __init__(self, layer: CaffeLayer, around: LayerContext) -> None:
        super().__init__(origin.Provenance(origins=(layer.origin(),), name=layer.name))
        self.layer = layer
        self.inputs = list(around.bottoms)
        self.phase = around.phase
        self.given = around.given
        self.declared: dict[str, ir.Value] = {}
        self.blobs: dict[int, ir.Value] = {}
        self.outputs: Outputs = ()
        self._shared = around.shared

    def param(self, field: str) -> CaffeMessage:
        """The layer's settings in a field such as `convolution_param`."""
        return self.layer.record.message(field)

    @property
    def kind(self) -> str:
        """The layer's type."""
        return self.layer.type

    @property
    def parameters(self) -> list[ir.Value]:
        """The parameters so far, in the order of blobs in a `.caffemodel`."""
        return [self.blobs[index] for index in sorted(self.blobs)]

    @property
    def is_batch_norm(self) -> bool:
        """Whether its first blobs are running statistics times the third."""
        return self.kind == "BatchNorm"

    @property
    def output_count(self) -> int:
        """How many tops the layer lists; 1 where it lists none."""
        return max(1, len(self.layer.tops))

    def too_few(self, shape: Dims, index: int, least: int) -> ModeldocsError:
        """The error to raise where a blob has too few dimensions."""
        return self.error(
            f"reads {as_text(shape)} from {self.layer.bottoms[index]!r}, it takes {least} "
            "dimensions",
            at="bottom",
            fix="give it another blob, or reshape this one",
        )

    def images(self, index: int = 0, *, least: int = 4) -> Dims:
        """Dimensions of an input of images: four unknown ones where its rank is unknown."""
        known = self.input(index).shape is not None
        return self.shape(index, least=least) if known else (None,) * 4

    def parameter(
        self, role: str, shape: Sequence[Dim], index: int, *, trainable: bool = True
    ) -> ir.Value:
        """The layer's blob of this index: a new parameter, or the one that it shares by name."""
        shape = self._completed(tuple(shape), index)
        if impossibility(shape):
            raise self.error(
                f"would have a {role} of {as_text(shape)}",
                fix="give sizes of at least 1, and fewer than 2³¹ values together",
            )
        name = self._shared_name(index)
        value = self._shared.get(name) or self.declared.get(name)
        if value is None:
            value = self.declare(name or f"{self.name}.{role}", shape, trainable=trainable)
            if name:
                self.declared[name] = value
        elif joined(shape_of(value), shape) is None:
            raise self.error(
                f"shares {value.name!r} of {as_text(shape_of(value))}, its own is {as_text(shape)}",
                at="param",
                fix="share parameters of one shape only",
            )
        self.blobs[index] = value
        return value

    def _completed(self, shape: Dims, index: int) -> Dims:
        """The shape with unknown dimensions taken from the blob given for it."""
        if None not in shape or index >= len(self.given):
            return shape
        given = self.given[index].shape
        # Old files have four dimensions, ones in front.
        whole = given[-len(shape) :] if set(given[: -len(shape)]) <= {1} else ()
        return joined(shape, whole) or shape

    def _shared_name(self, index: int) -> str:
        """The name that the field `param` gives a blob, else an empty string."""
        params = self.layer.record.all("param")
        param = params[index] if index < len(params) else ""
        return param.text("name") if isinstance(param, CaffeMessage) else str(param)

    def axis(self, field: str, rank: int, name: str = "axis") -> int:
        """The axis, from 0, of a blob with `rank` dimensions that a setting in a field names."""
        axis = self.param(field).integer(name)
        if not -rank <= axis < rank:
            raise self.error(
                f"names the axis {axis} of a blob with {rank} dimensions",
                at=field,
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
        """A node of Caffe's own domain, with the layer's settings as attributes.

        `shapes` are those of its outputs, None for one of unknown rank; `param` is the field of
        which the defaults are attributes, too.
        """
        operands = self.inputs if inputs is None else inputs
        return self.foreign(self.kind, operands, shapes, self._settings(param))

    def _settings(self, param: str) -> dict[str, Any]:
        """All settings of the layer, and the defaults of those in one field."""
        record = self.layer.record
        schema = record.message(param).schema if param else {}
        settings = {
            name: field.default for name, field in schema.items() if field.default is not None
        }
        for name in record.values:
            if name.endswith("_param") and isinstance(record.get(name), CaffeMessage):
                settings.update(record.message(name).plain())
        return {name: value for name, value in settings.items() if value != []}

    def error(self, reason: str, fix: str, *, at: str | None = None) -> ModeldocsError:
        """The error to raise, naming the layer, at the place of the field `at`."""
        return self.layer.error(reason, at=at, fix=fix)
