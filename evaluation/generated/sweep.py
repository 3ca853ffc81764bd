"""Each case as declared in onnxruntime, against the case in normal form."""

from __future__ import annotations

import onnx
import onnx_ir as ir

from modeldocs import normal
from modeldocs.errors import ModeldocsError
from modeldocs.loaders.onnx import weights
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.execution.operation import is_random

from .cases import Case
from .running import run, same

NOT_RUN, SAME, OTHER, APART, CRASH = "not run", "same", "other numbers", "set apart", "crash"
WRONG = (OTHER, APART, CRASH)


def tried(case: Case) -> tuple[str, str]:
    """How normal form fares with a case, and why."""
    declared = run(case.model, case.inputs)
    if declared is None or any(map(is_random, ir.from_proto(case.model).graph)):
        return NOT_RUN, ""
    try:
        model = in_normal_form(case.model)
    except Exception as error:
        return CRASH, f"{type(error).__name__}: {error}"[:150]
    if any(node.domain.startswith("ai.onnx.v") for node in model.graph):
        return APART, ""
    names = [value.name for value in case.model.graph.output]
    try:
        found = runtime.run(model, case.inputs, names)
    except ModeldocsError as error:
        return OTHER, error.reason[:150]
    ours = [found[name] for name in names]
    return (SAME, "") if same(declared, ours) else (OTHER, _how(declared, ours))


def in_normal_form(proto: onnx.ModelProto) -> ir.Model:
    """A model in normal form, as onnxruntime runs it."""
    model = ir.from_proto(proto)
    weights.mark_parameters(model)
    normal.apply(model)
    normal.make_runnable(model)
    return model


def _how(a: list, b: list) -> str:
    shapes = [(x.shape, str(x.dtype)) for x in a], [(x.shape, str(x.dtype)) for x in b]
    return "numbers" if shapes[0] == shapes[1] else f"{shapes[0]} {shapes[1]}"
