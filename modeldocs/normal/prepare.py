"""Passes that make a graph plain: functions inlined, constants folded, shapes known."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Iterator

import numpy as np
import onnx_ir as ir
import onnx_ir.passes.common as common
import onnxscript.optimizer

from modeldocs.ir import origin
from modeldocs.normal import plumbing, values
from modeldocs.normal.builder import Builder

MAX_FOLDED = 2**20
"""Constants are not computed where they may hold more elements than this."""

_GROWING = ("Expand", "Tile", "Range", "ConstantOfShape", "Pad", "Resize", "Upsample", "OneHot")

_ROUNDS = 4
"""Times that constants are folded: each may tell shapes that the next computes with."""

_FATAL = ("EyeLike", "RegexFullMatch")
"""What ends the process where ONNX infers its shape and what it reads has no type."""

_LEFT_OVER = ("SequenceConstruct", "SplitToSequence", "SequenceAt")
"""What folding leaves behind, once it has found which element is read."""

logging.getLogger("onnxscript").setLevel(logging.ERROR)
logging.getLogger("onnx_ir").setLevel(logging.ERROR)


def inline_functions(model: ir.Model) -> None:
    """Put the bodies of model-local functions in place of their calls.

    A function stays a layer of its own where its operators are of other versions than the model's,
    or a call does not fit it: one graph cannot hold both.
    """
    if not model.functions:
        return
    versions, fitting = dict(model.opset_imports), set()
    misused = _misused(model)
    for identifier, function in model.functions.items():
        own = function.opset_imports.items()
        fits = all(versions.get(domain, version) == version for domain, version in own)
        if fits and identifier not in misused:
            versions |= function.opset_imports
            fitting.add(identifier)
    common.InlinePass(lambda function: function.identifier() in fitting)(model)


def _misused(model: ir.Model) -> set[ir.OperatorIdentifier]:
    """The functions that some call does not fit: its operands, results, or attributes."""
    found = set()
    bodies: list[ir.Graph | ir.Function] = [model.graph, *model.functions.values()]
    for body in bodies:
        for node in ir.traversal.RecursiveGraphIterator(body):
            called = model.functions.get(node.op_identifier())
            if called is not None and not _is_call(node, called):
                found.add(called.identifier())
    return found


def _is_call(node: ir.Node, called: ir.Function) -> bool:
    """Whether a node gives and takes what a function takes and gives."""
    wanted = [
        (held, inner.op_type == "Constant")
        for inner in ir.traversal.RecursiveGraphIterator(called)
        for held in inner.attributes.values()
        if held.is_ref()
    ]
    known = dict(called.attributes) | dict(node.attributes)
    given = [(known.get(str(held.ref_attr_name)), held, needed) for held, needed in wanted]
    return (
        len(node.inputs) <= len(called.inputs)
        and len(node.outputs) == len(called.outputs)
        and all(one.type == held.type if one is not None else not need for one, held, need in given)
    )


def fold_constants(model: ir.Model) -> None:
    """Compute what depends on constants alone; parameters are not constants.

    What cannot be computed stays as it is: it is then told as a layer of its own.
    """
    for _ in range(_ROUNDS):
        _fold_once(model)
        _fold_splits(model)
        if not any(values.is_operator(node, "Shape", "Size") for node in model.graph):
            break
        before = len(model.graph)
        drop_dead_plumbing(model)
        infer_shapes(model)
        if len(model.graph) == before and not _knows_more(model):
            break


def _knows_more(model: ir.Model) -> bool:
    """Whether a shape is known by now that is still asked for."""
    asked = (node for node in model.graph if values.is_operator(node, "Shape", "Size"))
    return any(values.shape(node.inputs[0]) is not None for node in asked)


def _fold_splits(model: ir.Model) -> None:
    """Compute the pieces of constants, which the folder leaves as they are."""
    for node in list(model.graph):
        whole = values.constant(values.operand(node, 0)) if node.op_type == "Split" else None
        sizes = [values.shape(output) for output in node.outputs]
        if whole is None or None in sizes or whole.size > MAX_FOLDED:
            continue
        if any(len(dims) != max(whole.ndim, 1) for dims in sizes if dims is not None):
            continue
        axis = int(values.attribute(node, "axis", 0)) % whole.ndim
        ends = np.cumsum([dims[axis] for dims in sizes if dims is not None])
        builder = Builder(model.graph)
        for output, piece in zip(node.outputs, np.split(whole, ends[:-1], axis), strict=True):
            if not output.is_graph_output():
                made = builder.constant(piece, str(output.name))
                ir.convenience.replace_all_uses_with(output, made)
        if not any(output.is_graph_output() for output in node.outputs):
            model.graph.remove(node, safe=True)


def _fold_once(model: ir.Model) -> None:
    with _hidden_parameters(model), _hidden(_of(model, "Dropout", *_FATAL)):
        with contextlib.suppress(Exception):
            onnxscript.optimizer.fold_constants(
                model,
                should_fold=_may_fold,
                input_size_limit=MAX_FOLDED,
                output_size_limit=MAX_FOLDED,
            )
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model)


def _may_fold(node: ir.Node) -> bool:
    """Whether neither what a node reads nor what it makes is a large tensor."""
    held = [value.const_value for value in node.inputs if value is not None]
    if any(tensor is not None and tensor.size > MAX_FOLDED for tensor in held):
        return False
    made = [values.shape(value) for value in node.outputs]
    if all(dims is not None for dims in made):
        return all(math.prod(dims) <= MAX_FOLDED for dims in made if dims is not None)
    return not values.is_operator(node, *_GROWING) or _grown(node) <= MAX_FOLDED


def _grown(node: ir.Node) -> float:
    """At most how many elements an operator makes of sizes, told by these."""
    sizes = [values.constant(value) for value in node.inputs]
    numbers = [a.astype(float) for a in sizes if a is not None and a.dtype.kind in "iuf"]
    return math.prod(float(np.maximum(np.abs(array), 1).prod()) for array in numbers)


def drop_dead_plumbing(model: ir.Model) -> None:
    """Remove plumbing that nothing reads: it would hide that an idiom's values have one reader."""
    shapes = plumbing.shape_nodes(model.graph)
    for node in reversed(list(model.graph)):
        unread = not any(value.uses() or value.is_graph_output() for value in node.outputs)
        if unread and (plumbing.is_plumbing(node, shapes) or values.is_operator(node, *_LEFT_OVER)):
            model.graph.remove(node, safe=True)


def infer_shapes(model: ir.Model) -> None:
    """Fill in shapes and types that the source left out, as far as ONNX can infer them."""
    if all(_is_known(value) for node in model.graph for value in node.outputs):
        return
    fatal = _of(model, *_FATAL)
    # ONNX lists every number of a range that it knows the ends of.
    fatal += [node for node in _of(model, "Range") if _grown(node) > MAX_FOLDED]
    with _hidden_parameters(model), _hidden(fatal), contextlib.suppress(Exception):
        common.ShapeInferencePass(check_type=False, strict_mode=False, data_prop=True)(model)


def _is_known(value: ir.Value) -> bool:
    """Whether a value's type and all its dimensions are told."""
    return value.dtype is not None and values.shape(value) is not None


def _of(model: ir.Model, *operators: str) -> list[ir.Node]:
    """The nodes of some operators, those in branches and loops among them."""
    nodes = ir.traversal.RecursiveGraphIterator(model.graph)
    return [node for node in nodes if values.is_operator(node, *operators)]


@contextlib.contextmanager
def _hidden(nodes: list[ir.Node]) -> Iterator[None]:
    """Keep nodes in a domain that ONNX and the folder do not know."""
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
    """Parameters without their tensors: these passes must neither want nor use the values."""
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
