"""What ONNX's reference evaluator computes: the file as it stands, with designed weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
import onnx.version_converter
import onnx_ir as ir
import onnxruntime
from onnx.reference import ReferenceEvaluator

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.onnx import reference_operators, reference_pools, weights
from modeldocs.loaders.reference import Arrays, Designed, Designs, Proven, Reference
from modeldocs.normal import opset
from modeldocs.numeric.execution import runtime

_STANDARD = {"", "ai.onnx", "ai.onnx.ml"}
"""Domains whose operators the reference evaluator has."""
_DOMAINS = ("", "ai.onnx")
_OLDEST = 7
"""The oldest operator set that onnxruntime runs."""


def prove(
    model: ir.Model, proto: onnx.ModelProto, request: LoadRequest, designs: Designs
) -> Iterator[Proven]:
    """The graph `model` that was assembled from `proto`, and what runs of `proto` compute.

    A file with operators that the reference evaluator lacks (onnxruntime's own), or of versions
    whose meaning it does not keep, runs in onnxruntime.

    Raises:
        ModeldocsError: neither can run it, or an input has no type.
    """
    for value in model.graph.inputs:
        if value.dtype is None:
            raise ModeldocsError(
                f"the type of the input {value.name!r} is not known", file=request.source
            )
    for designed in designs(model):
        yield Proven(model, _reference(model, proto, request, designed))


def _reference(
    model: ir.Model, proto: onnx.ModelProto, request: LoadRequest, designed: Designed
) -> Reference:
    parameters = designed.parameters | weights.fixed(proto, model)
    against, software, arrays = _run(weights.fill(proto, parameters), designed.inputs, request)
    names = [value.name for value in proto.graph.output]
    return Reference(
        software=software,
        inputs=designed.inputs,
        outputs={name: arrays[name] for name in names},
        activations={name: array for name, array in arrays.items() if name not in names},
        parameters=parameters,
        against=against,
    )


def _runnable(proto: onnx.ModelProto, request: LoadRequest) -> onnx.ModelProto:
    """The file, converted by ONNX's own converter where its set is older than onnxruntime runs.

    Raises:
        ModeldocsError: it cannot be converted.
    """
    declared = max((one.version for one in proto.opset_import if one.domain in _DOMAINS), default=1)
    if declared >= _OLDEST:
        return proto
    try:
        return onnx.version_converter.convert_version(proto, _OLDEST)
    except Exception as error:
        raise ModeldocsError(
            f"is of operator set {declared}, which no software here runs: {first_line(error)}",
            file=request.source,
            fix=f"convert it to operator set {_OLDEST} or newer, or export it again",
        ) from None


def _evaluator(proto: onnx.ModelProto) -> ReferenceEvaluator:
    operators = [reference_operators.LRN, reference_pools.MaxPool, reference_pools.AveragePool]
    return ReferenceEvaluator(proto, new_ops=operators)


def _run(proto: onnx.ModelProto, inputs: Arrays, request: LoadRequest) -> tuple[str, str, Arrays]:
    """The kind of software that ran it, its name with its version, and all values by name."""
    domains = {node.domain for node in proto.graph.node}
    own = {function.domain for function in proto.functions}
    model = ir.from_proto(proto)
    if domains - own <= _STANDARD and not opset.depends_on_version(model):
        try:
            results = _evaluator(proto).run(None, inputs, intermediate=True)
        except Exception as error:
            raise ModeldocsError(
                f"ONNX's reference cannot run it: {type(error).__name__}: {first_line(error)}",
                file=request.source,
                fix="check the file with onnx.checker; give open sizes with --input",
            ) from None
        arrays = {name: value for name, value in results.items() if isinstance(value, np.ndarray)}
        return "ONNX's reference", f"ONNX's reference {onnx.__version__}", arrays
    model = ir.from_proto(_runnable(proto, request))
    names = [str(value.name) for node in model.graph for value in node.outputs if value.name]
    wanted = [*(value.name for value in proto.graph.output), *names]
    arrays = runtime.run(model, inputs, wanted)
    return "onnxruntime", f"onnxruntime {onnxruntime.__version__}", arrays
