"""An ONNX file read: parsed, checked for what could harm, its parameters and origins told."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import onnx_ir.passes.common as common
from google.protobuf.message import DecodeError

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.ir import Origin, origin
from modeldocs.ir.operators import WEIGHTED_SLOTS
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.onnx import consistency, shapes, soundness
from modeldocs.normal import prepare, settings, values

_STATISTICS = {("BatchNormalization", 3), ("BatchNormalization", 4)}

_SETTINGS = {
    *(("Resize", slot) for slot in (1, 2, 3)),
    *(("Clip", slot) for slot in (1, 2)),
    *(("NonMaxSuppression", slot) for slot in (2, 3, 4)),
    *((operator, 1) for operator in ("Upsample", "QuantizeLinear", "DequantizeLinear", "Dropout")),
    *((operator, 2) for operator in ("QuantizeLinear", "DequantizeLinear", "Pad", "OneHot")),
}
"""Operands by operator and slot that say how an operator works: never weights."""

MAX_FILLED = 2**28
"""Elements of the largest weight that is filled."""

_QUANTISED = (ir.DataType.INT8, ir.DataType.UINT8, ir.DataType.INT4, ir.DataType.UINT4)


def read(request: LoadRequest) -> onnx.ModelProto:
    """The file that a request names, sound enough to be taken as a graph.

    Raises:
        ModeldocsError: it cannot be read, is truncated, or asks for what a graph cannot be.
    """
    path = Path(str(request.path))
    proto = _parse(path, request)
    with _told_of(request.relative(path)):
        soundness.check(proto, path.parent)
    return proto


def graph(proto: onnx.ModelProto, request: LoadRequest) -> ir.Model:
    """The file as the loader gives it: in order, inputs as asked, each node with its origin.

    Raises:
        ModeldocsError: it is no valid graph, is cyclic, or has no such inputs.
    """
    model = _to_ir(proto, request)
    origin.drop_unsound(model)
    _check_order(model, request)
    _set_inputs(model, request)
    _mark_parameters(model)
    shapes.settle(model, asked=bool(request.inputs))
    with _told_of(request.source):
        consistency.check(model)
    _describe(model, request)
    return model


def _parse(path: Path, request: LoadRequest) -> onnx.ModelProto:
    try:
        proto = onnx.load_model(path, load_external_data=False)
    except OSError as error:
        raise ModeldocsError(
            f"cannot be read: {error.strerror}", file=request.relative(path), fix="check the path"
        ) from None
    except (DecodeError, ValueError) as error:
        raise ModeldocsError(
            f"is not a whole ONNX file: {first_line(error) or type(error).__name__}",
            file=request.relative(path),
            fix="export it again; the file may have been cut off on the way",
        ) from None
    if not proto.graph.node and not proto.graph.output:
        raise ModeldocsError(
            "holds no graph", file=request.relative(path), fix="export the model to it again"
        )
    return proto


@contextlib.contextmanager
def _told_of(file: str | None) -> Iterator[None]:
    """Name the file in errors that do not."""
    try:
        yield
    except ModeldocsError as error:
        error.file = error.file or file
        raise


def _to_ir(proto: onnx.ModelProto, request: LoadRequest) -> ir.Model:
    try:
        model: ir.Model = ir.from_proto(proto)
        prepare.inline_functions(model)
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model)
        common.LiftSubgraphInitializersToMainGraphPass()(model)
        _store_filled(model)
        return model
    except Exception as error:
        raise ModeldocsError(
            f"is not a valid ONNX graph: {first_line(error)}",
            file=request.source,
            fix="run onnx.checker on it, export it again",
        ) from None


def _store_filled(model: ir.Model) -> None:
    """Make initializers of weights that the file fills with one number (ConstantOfShape)."""
    for node in list(model.graph):
        if not values.is_operator(node, "ConstantOfShape"):
            continue
        shape, (made,) = values.constant(node.inputs[0]), node.outputs
        read = [(usage.node.op_type, usage.idx) for usage in made.uses()]
        if shape is None or not any(WEIGHTED_SLOTS.get(name) == slot for name, slot in read):
            continue
        if math.prod(int(size) for size in shape) > MAX_FILLED or made.is_graph_output():
            continue
        number = values.attribute(node, "value", ir.tensor(np.zeros(1, np.float32))).numpy()
        array = np.full(tuple(int(size) for size in shape), number.reshape(-1)[0])
        tensor = ir.tensor(array, name=made.name)
        stored = ir.Value(name=made.name, const_value=tensor, shape=ir.Shape(array.shape))
        stored.type = ir.TensorType(tensor.dtype)
        ir.convenience.replace_all_uses_with(made, stored)
        model.graph.remove(node, safe=True)
        model.graph.register_initializer(stored)


def _check_order(model: ir.Model, request: LoadRequest) -> None:
    """Sort the nodes if they are out of order; a cycle has no order."""
    if _is_in_order(model.graph):
        return
    with contextlib.suppress(ValueError):
        model.graph.sort()
    if not _is_in_order(model.graph):
        raise ModeldocsError(
            "its graph is cyclic: a node needs its own output",
            fix="export the model again",
            file=request.source,
        )


def _is_in_order(graph: ir.Graph) -> bool:
    """Whether each node comes after those that it, or a graph inside of it, reads."""
    made: set[ir.Node] = set()
    for node in graph:
        for value in (*node.inputs, *settings.captured(node)):
            producer = value.producer() if value is not None else None
            if producer is not None and producer.graph is graph and producer not in made:
                return False
        made.add(node)
    return True


def _set_inputs(model: ir.Model, request: LoadRequest) -> None:
    known = {value.name: value for value in model.graph.inputs}
    for name, shape in request.inputs.items():
        value = model.graph.inputs[0] if name == "" and known else known.get(name)
        if value is None:
            raise ModeldocsError(
                f"has no input {name!r}",
                file=request.source,
                fix=f"its inputs are: {', '.join(str(key) for key in known)}",
            )
        if value.shape is not None and len(value.shape) != len(shape):
            raise ModeldocsError(
                f"its input {value.name!r} has rank {len(value.shape)}, "
                f"and the shape given for it has rank {len(shape)}",
                file=request.source,
                fix=f"give a shape of {len(value.shape)} sizes",
            )
        value.shape = ir.Shape(shape)


def _mark_parameters(model: ir.Model) -> None:
    """Tell weights from constants, and leave neither among the inputs."""
    inputs = {value.name for value in model.graph.inputs}
    for name, value in model.graph.initializers.items():
        if name in inputs:
            model.graph.inputs.remove(value)
        uses = [(usage.node.op_type, usage.idx) for usage in value.uses()]
        if any(use in _STATISTICS for use in uses):
            origin.mark_parameter(value, trainable=False)
        elif any(WEIGHTED_SLOTS.get(operator) == slot for operator, slot in uses) or (
            _is_weight_like(value) and not (uses and _SETTINGS.issuperset(uses))
        ):
            origin.mark_parameter(value, trainable=True)


def _is_weight_like(value: ir.Value) -> bool:
    """More than one number, of a type that weights have: floating point, or quantised to 8 bits."""
    if value.dtype is None or value.shape is None or len(value.shape) == 0:
        return False
    numbers = value.dtype.is_floating_point() or value.dtype in _QUANTISED
    return numbers and math.prod(values.shape(value) or ()) > 1


def _describe(model: ir.Model, request: LoadRequest) -> None:
    file = request.source
    for node in model.graph:
        if origin.KEY in node.metadata_props:
            continue
        attributes = {
            name: origin.plain(attribute.value) if _is_plain(attribute) else str(attribute.type)
            for name, attribute in node.attributes.items()
        }
        auto_pad = attributes.get("auto_pad")
        strategy = auto_pad if isinstance(auto_pad, str) and auto_pad != "NOTSET" else ""
        source = Origin(
            operator=f"{node.domain}::{node.op_type}" if node.domain else node.op_type,
            name=node.name or "",
            attributes=attributes,
            file=file,
        )
        origin.attach(
            node,
            origin.Provenance(
                origins=(source,),
                name=node.name or "",
                padding=strategy or None,
            ),
        )


def _is_plain(attribute: ir.Attr) -> bool:
    return attribute.type in (
        ir.AttributeType.INT,
        ir.AttributeType.INTS,
        ir.AttributeType.FLOAT,
        ir.AttributeType.FLOATS,
        ir.AttributeType.STRING,
        ir.AttributeType.STRINGS,
    )
