"""Preparation of a graph: functions inlined, constants folded, shapes inferred."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Iterator

import numpy as np
import onnx_ir as ir
import onnx_ir.passes.common as common

from modeldocs.ir import operators, origin
from modeldocs.normal import sequences, values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import tracing

MAX_FOLDED = 2**20
"""Constants are not folded where they may have more elements."""

_GROWING = operators.named(grows=True)

_ROUNDS = 4
"""Most times that constants are folded: each may make shapes known that the next folds."""

_FATAL = ("EyeLike", "RegexFullMatch")
"""Operators whose shape inference by ONNX crashes the process where an operand has no type."""

_OF_SEQUENCES = operators.named(of_sequence=True)
"""Folding leaves some of these unread."""

logging.getLogger("onnxscript").setLevel(logging.ERROR)
logging.getLogger("onnx_ir").setLevel(logging.ERROR)


def inline_functions(model: ir.Model) -> None:
    """Inline the model's functions.

    A function stays a layer where it imports other operator sets than the model, since one graph
    has one version of each, or where a call does not match its signature.
    """
    if not model.functions:
        return
    versions, inlined = dict(model.opset_imports), set()
    misused = _misused(model)
    for identifier, function in model.functions.items():
        own = function.opset_imports.items()
        is_compatible = all(versions.get(domain, version) == version for domain, version in own)
        if is_compatible and identifier not in misused:
            versions |= function.opset_imports
            inlined.add(identifier)
    common.InlinePass(lambda function: function.identifier() in inlined)(model)


def _misused(model: ir.Model) -> set[ir.OperatorIdentifier]:
    """The functions with a call whose operands, outputs or attributes do not match."""
    misused = set()
    bodies: list[ir.Graph | ir.Function] = [model.graph, *model.functions.values()]
    for body in bodies:
        for node in ir.traversal.RecursiveGraphIterator(body):
            called = model.functions.get(node.op_identifier())
            if called is not None and not _is_call(node, called):
                misused.add(called.identifier())
    return misused


def _is_call(node: ir.Node, called: ir.Function) -> bool:
    """Whether a node matches a function: in its operands, outputs, and attributes that it reads."""
    if len(node.inputs) > len(called.inputs) or len(node.outputs) != len(called.outputs):
        return False
    attributes = dict(called.attributes) | dict(node.attributes)
    for inner in ir.traversal.RecursiveGraphIterator(called):
        for reference in inner.attributes.values():
            if not reference.is_ref():
                continue
            attribute = attributes.get(str(reference.ref_attr_name))
            if attribute is None and inner.op_type == "Constant":
                return False
            if attribute is not None and attribute.type != reference.type:
                return False
    return True


def fold_constants(model: ir.Model) -> None:
    """Compute what depends on constants alone; parameters are not constants.

    What cannot be computed stays as a layer.
    """
    for _ in range(_ROUNDS):
        _fold_once(model)
        _fold_splits(model)
        if _fold_gathers(model):
            continue
        if not any(values.is_operator(node, "Shape", "Size") for node in model.graph):
            break
        before = len(model.graph)
        drop_dead_plumbing(model)
        infer_shapes(model)
        if len(model.graph) == before and not _has_known_shape(model):
            break


def _has_known_shape(model: ir.Model) -> bool:
    """Whether any Shape or Size has an operand of known shape."""
    readers = (node for node in model.graph if values.is_operator(node, "Shape", "Size"))
    return any(values.shape(node.inputs[0]) is not None for node in readers)


def _fold_splits(model: ir.Model) -> None:
    """Fold Splits of constants, which onnxscript's folder does not."""
    for node in list(model.graph):
        constant = values.constant(values.operand(node, 0)) if node.op_type == "Split" else None
        sizes = [values.shape(output) for output in node.outputs]
        if constant is None or None in sizes or constant.size > MAX_FOLDED:
            continue
        if any(len(dims) != max(constant.ndim, 1) for dims in sizes if dims is not None):
            continue
        axis = int(values.attribute(node, "axis", 0)) % constant.ndim
        ends = np.cumsum([dims[axis] for dims in sizes if dims is not None])
        builder = GraphBuilder(model.graph)
        for output, piece in zip(node.outputs, np.split(constant, ends[:-1], axis), strict=True):
            if not output.is_graph_output():
                folded = builder.constant(piece, str(output.name))
                ir.convenience.replace_all_uses_with(output, folded)
        if not any(output.is_graph_output() for output in node.outputs):
            model.graph.remove(node, safe=True)


def _fold_gathers(model: ir.Model) -> bool:
    """Fold GatherElements of constants, of which ONNX's reference, with which onnxscript's folder
    computes, takes only indices of the shape of the data; whether there was one.
    """
    builder, found = GraphBuilder(model.graph), False
    for node in list(model.graph):
        if not values.is_operator(node, "GatherElements") or node.outputs[0].is_graph_output():
            continue
        data, indices = (values.constant(value) for value in node.inputs)
        if data is None or indices is None or max(data.size, indices.size) > MAX_FOLDED:
            continue
        places = list(np.indices(indices.shape))
        places[int(values.attribute(node, "axis", 0)) % data.ndim] = indices
        folded = builder.constant(data[tuple(places)], str(node.outputs[0].name))
        ir.convenience.replace_all_uses_with(node.outputs[0], folded)
        model.graph.remove(node, safe=True)
        found = True
    return found


def _fold_once(model: ir.Model) -> None:
    import onnxscript.optimizer  # takes 0.1 s, which a build without changes is spared

    with _hidden_parameters(model), _hidden(_nodes_of(model, "Dropout", *_FATAL)):
        with contextlib.suppress(Exception):
            onnxscript.optimizer.fold_constants(
                model,
                should_fold=_may_fold,
                input_size_limit=MAX_FOLDED,
                output_size_limit=MAX_FOLDED,
            )
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model)


def _may_fold(node: ir.Node) -> bool:
    """Whether no operand and no output of a node is a large tensor."""
    tensors = [value.const_value for value in node.inputs if value is not None]
    if any(tensor is not None and tensor.size > MAX_FOLDED for tensor in tensors):
        return False
    shapes = [values.shape(value) for value in node.outputs]
    known = [dims for dims in shapes if dims is not None]
    if len(known) == len(shapes):
        return all(math.prod(dims) <= MAX_FOLDED for dims in known)
    return not values.is_operator(node, *_GROWING) or _max_elements(node) <= MAX_FOLDED


def _max_elements(node: ir.Node) -> float:
    """An upper bound on the elements of an output, by the sizes among the operands."""
    sizes = [values.constant(value) for value in node.inputs]
    numbers = [a.astype(float) for a in sizes if a is not None and a.dtype.kind in "iuf"]
    return math.prod(float(np.maximum(np.abs(array), 1).prod()) for array in numbers)


def drop_dead_plumbing(model: ir.Model) -> None:
    """Remove plumbing that nothing reads: idioms match values with one reader only."""
    shapes = tracing.shape_nodes(model.graph)
    for node in reversed(list(model.graph)):
        is_unread = not any(value.uses() or value.is_graph_output() for value in node.outputs)
        if is_unread and (
            tracing.is_plumbing(node, shapes) or values.is_operator(node, *_OF_SEQUENCES)
        ):
            model.graph.remove(node, safe=True)


def infer_shapes(model: ir.Model) -> None:
    """Infer shapes and types that are missing, as far as ONNX can."""
    if all(_is_known(value) for node in model.graph for value in node.outputs):
        return
    fatal = _nodes_of(model, *_FATAL)
    # ONNX computes every number of a range whose ends are constant.
    fatal += [node for node in _nodes_of(model, "Range") if _max_elements(node) > MAX_FOLDED]
    with _hidden_parameters(model), _hidden(fatal), contextlib.suppress(Exception):
        common.ShapeInferencePass(check_type=False, strict_mode=False, data_prop=True)(model)
    sequences.restore(model)


def _is_known(value: ir.Value) -> bool:
    """Whether a value's type and all its dimensions are known."""
    return value.dtype is not None and values.shape(value) is not None


def _nodes_of(model: ir.Model, *operators: str) -> list[ir.Node]:
    """The nodes of these operators, those in branches and loops included."""
    nodes = ir.traversal.RecursiveGraphIterator(model.graph)
    return [node for node in nodes if values.is_operator(node, *operators)]


@contextlib.contextmanager
def _hidden(nodes: list[ir.Node]) -> Iterator[None]:
    """Hide nodes from ONNX and the folder, in a domain that they do not know."""
    domains = [node.domain for node in nodes]
    for node in nodes:
        node.domain = "modeldocs.kept"
    try:
        yield
    finally:
        for node, domain in zip(nodes, domains, strict=True):
            node.domain = domain


@contextlib.contextmanager
def _hidden_parameters(model: ir.Model) -> Iterator[None]:
    """Turn parameters into inputs, so that these passes do not use their values."""
    hidden = {
        value: value.const_value
        for value in model.graph.initializers.values()
        if origin.parameter_kind(value) is not None
    }
    for value in hidden:
        value.const_value = None
        model.graph.inputs.append(value)
    for value in hidden:
        del model.graph.initializers[str(value.name)]
    try:
        yield
    finally:
        kept = [value for value in model.graph.inputs if value not in hidden]
        model.graph.inputs.clear()
        model.graph.inputs.extend(kept)
        for value, tensor in hidden.items():
            value.const_value = tensor
            model.graph.initializers[str(value.name)] = value
