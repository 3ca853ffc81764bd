"""One layer as ONNX nodes: by the emitter of its type, else as a node of Caffe's domain."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format.record import nearest
from modeldocs.loaders.caffe.layer import CaffeLayer, is_loss
from modeldocs.loaders.caffe.operation import EMITTERS, CaffeOperation, LayerContext
from modeldocs.loaders.dims import Dims, UnknownShapeError
from modeldocs.loaders.emission.inference import maybe_shape
from modeldocs.loaders.emission.operation import Outputs


@dataclass(frozen=True, slots=True)
class Converted:
    """The nodes of a layer, and its outputs.

    `assumed` is whether the shapes of the outputs are assumptions; `shapeless` whether they are
    unknown, since a shape that the layer needs is.
    """

    operation: CaffeOperation
    tops: Outputs
    assumed: bool = False
    shapeless: bool = False


def convert(layer: CaffeLayer, around: LayerContext) -> Converted:
    """The layer in ONNX.

    Raises:
        ModeldocsError: its settings do not fit its inputs.
    """
    operation = CaffeOperation(layer, around)
    emit = EMITTERS.get(layer.type)
    if emit is None:
        return _unknown_type(operation)
    choice = next(layer.record.foreign(), None)
    if choice is not None:
        field, value, near = choice
        reason = f"{value!r} is no value of Caffe's for {field!r}"
        if not is_loss(layer.type):
            return _opaque(operation, reason, near)
        operation.notes.append(f"{layer.where}: {reason}, shown as {layer.name!r} has it")
    try:
        return Converted(operation, emit(operation), assumed=around.assumed)
    except UnknownShapeError:
        pass
    except ModeldocsError:
        # An assumed shape need not be right, so it is no reason to refuse a network.
        if not around.assumed:
            raise
    operation = CaffeOperation(layer, around)
    shapes = [_unknown_shape(operation)] * operation.output_count
    tops = operation.opaque(shapes, inputs=_inputs(operation))
    return Converted(operation, tops, assumed=around.assumed, shapeless=True)


def _inputs(operation: CaffeOperation) -> list[ir.Value]:
    """Inputs of a layer in Caffe's domain: its bottoms, and its stored blobs as parameters."""
    parameters = [
        operation.parameter(f"blob{index}", blob.shape, index)
        for index, blob in enumerate(operation.given)
    ]
    return [*operation.inputs, *parameters]


def _unknown_type(operation: CaffeOperation) -> Converted:
    """A layer type of a fork."""
    layer = operation.layer
    if is_loss(layer.type):
        return Converted(operation, operation.opaque([()] * operation.output_count))
    own = any(layer.record.is_own(name) for name in layer.record.values)
    near = None if own else nearest(layer.type, list(EMITTERS), cutoff=0.8)
    return _opaque(operation, f"{layer.type!r} is no layer type of Caffe's", near)


def _opaque(operation: CaffeOperation, reason: str, near: str | None) -> Converted:
    """A layer in Caffe's domain, its outputs assumed to be like its input: most are activations."""
    layer = operation.layer
    question = f"; is it {near!r} mistyped?" if near else ";"
    operation.notes.append(
        f"{layer.where}: {reason}{question} "
        f"{layer.name!r} is drawn as it is, its output taken to be of its input's shape"
    )
    shapes = [maybe_shape(operation.input())] * len(layer.tops)
    tops = operation.opaque(shapes, inputs=_inputs(operation))
    return Converted(operation, tops, assumed=True)


def _unknown_shape(operation: CaffeOperation) -> Dims | None:
    """The rank and batch of the first input, with all other dimensions unknown."""
    shape = maybe_shape(operation.inputs[0]) if operation.inputs else ()
    return None if shape is None else (*shape[:1], *[None] * (len(shape) - 1))
