"""Passes that make a graph plain: functions inlined, constants folded, shapes known."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

import onnx_ir as ir
import onnx_ir.passes.common as common
import onnxscript.optimizer

from modeldocs import origin
from modeldocs.normal import plumbing, values

logging.getLogger("onnxscript").setLevel(logging.ERROR)
logging.getLogger("onnx_ir").setLevel(logging.ERROR)


def inline_functions(model: ir.Model) -> None:
    """Put the bodies of model-local functions in place of their calls."""
    if model.functions:
        common.InlinePass()(model)


def fold_constants(model: ir.Model) -> None:
    """Compute what depends on constants alone; parameters are not constants.

    What cannot be computed stays as it is: it is then told as a layer of its own.
    """
    with _hidden_parameters(model), _kept_dropouts(model):
        with contextlib.suppress(RuntimeError):
            onnxscript.optimizer.fold_constants(model)
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model)


def drop_dead_plumbing(model: ir.Model) -> None:
    """Remove plumbing that nothing reads: it would hide that an idiom's values have one reader."""
    for node in reversed(list(model.graph)):
        unread = not any(value.uses() or value.is_graph_output() for value in node.outputs)
        if unread and values.is_operator(node, *plumbing.MOVES):
            model.graph.remove(node, safe=True)


def infer_shapes(model: ir.Model) -> None:
    """Fill in shapes and types that the source left out, as far as ONNX can infer them."""
    with _hidden_parameters(model), contextlib.suppress(Exception):
        common.ShapeInferencePass(check_type=False, strict_mode=False, data_prop=True)(model)


@contextlib.contextmanager
def _kept_dropouts(model: ir.Model) -> Iterator[None]:
    """Hide dropouts in a domain that the folder does not know: it would take them out."""
    dropouts = [node for node in model.graph if values.is_operator(node, "Dropout")]
    for node in dropouts:
        node.domain = "modeldocs.kept"
    try:
        yield
    finally:
        for node in dropouts:
            node.domain = ""


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
        for value, tensor in hidden.items():
            model.graph.inputs.remove(value)
            value.const_value = tensor
            model.graph.initializers[str(value.name)] = value
