"""From an ONNX file to the loader's graph: functions inlined, shapes inferred, origins attached."""

from __future__ import annotations

import contextlib

import onnx
import onnx_ir as ir
import onnx_ir.passes.common as common

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.ir import Origin, origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.onnx import consistency, shapes, weights
from modeldocs.loaders.onnx.signatures import AGAIN
from modeldocs.loaders.onnx.source import naming_file
from modeldocs.normal import opset, prepare, settings

_PLAIN_ATTRIBUTES = (
    ir.AttributeType.INT,
    ir.AttributeType.INTS,
    ir.AttributeType.FLOAT,
    ir.AttributeType.FLOATS,
    ir.AttributeType.STRING,
    ir.AttributeType.STRINGS,
)


def assemble(proto: onnx.ModelProto, request: LoadRequest) -> ir.Model:
    """The file as the loader's graph: sorted, inputs as requested, each node with its origin.

    Operators of older sets are said in that of all graphs; origins keep them as the file has them.

    Raises:
        ModeldocsError: it is no valid graph, is cyclic, or has no such inputs.
    """
    with naming_file(request.source):
        model = _to_ir(proto)
        origin.drop_unsound(model)
        _sort(model)
        _set_inputs(model, request)
        weights.mark_parameters(model)
        shapes.infer(model, inputs_changed=bool(request.inputs))
        consistency.check(model)
    _attach_origins(model, request.source)
    opset.unify(model)
    prepare.infer_shapes(model)
    return model


def _to_ir(proto: onnx.ModelProto) -> ir.Model:
    try:
        model: ir.Model = ir.from_proto(proto)
        prepare.inline_functions(model)
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model)
        common.LiftSubgraphInitializersToMainGraphPass()(model)
        weights.store_filled(model)
        return model
    except Exception as error:
        raise ModeldocsError(
            f"is not a valid ONNX graph: {first_line(error)}",
            fix="run onnx.checker on it, export it again",
        ) from None


def _sort(model: ir.Model) -> None:
    """Sort the nodes topologically if they are not.

    Raises:
        ModeldocsError: the graph is cyclic.
    """
    if _is_sorted(model.graph):
        return
    with contextlib.suppress(ValueError):
        model.graph.sort()
    if not _is_sorted(model.graph):
        raise ModeldocsError("its graph is cyclic: a node needs its own output", fix=AGAIN)


def _is_sorted(graph: ir.Graph) -> bool:
    """Whether each node comes after those that it, or a graph inside of it, reads."""
    visited: set[ir.Node] = set()
    for node in graph:
        for value in (*node.inputs, *settings.captured(node)):
            producer = value.producer() if value is not None else None
            if producer is not None and producer.graph is graph and producer not in visited:
                return False
        visited.add(node)
    return True


def _set_inputs(model: ir.Model, request: LoadRequest) -> None:
    known = {value.name: value for value in model.graph.inputs}
    for name, shape in request.inputs.items():
        value = model.graph.inputs[0] if name == "" and known else known.get(name)
        if value is None:
            raise ModeldocsError(
                f"has no input {name!r}",
                fix=f"its inputs are: {', '.join(str(key) for key in known)}",
            )
        if value.shape is not None and len(value.shape) != len(shape):
            raise ModeldocsError(
                f"its input {value.name!r} has rank {len(value.shape)}, "
                f"and the shape given for it has rank {len(shape)}",
                fix=f"give a shape of {len(value.shape)} sizes",
            )
        value.shape = ir.Shape(shape)


def _attach_origins(model: ir.Model, file: str | None) -> None:
    """Attach each node's origin, but to those that the file has one for; in bodies, too."""
    for node in ir.traversal.RecursiveGraphIterator(model.graph):
        if origin.KEY in node.metadata_props:
            continue
        attributes = {
            name: origin.plain(attribute.value)
            if attribute.type in _PLAIN_ATTRIBUTES
            else str(attribute.type)
            for name, attribute in node.attributes.items()
        }
        auto_pad = attributes.get("auto_pad")
        has_strategy = isinstance(auto_pad, str) and auto_pad not in ("", "NOTSET")
        name = node.name or ""
        source = Origin(
            operator=f"{node.domain}::{node.op_type}" if node.domain else node.op_type,
            name=name,
            attributes=attributes,
            file=file,
        )
        padding = auto_pad if has_strategy else None
        origin.attach(node, origin.Provenance(origins=(source,), name=name, padding=padding))
