"""The file as it stands, run by the standard's own reference with designed weights."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.ir import origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.reference import Arrays, Design, Designed, Proven, Reference
from modeldocs.numerics import runtime

_STANDARD = {"", "ai.onnx", "ai.onnx.ml"}
"""Domains whose operators ONNX's reference has."""


def prove(model: ir.Model, proto: onnx.ModelProto, request: LoadRequest, design: Design) -> Proven:
    """`model` is what was made of `proto`, which runs.

    What the reference has no operators for (onnxruntime's own) runs in onnxruntime, from the file
    as well.

    Raises:
        ModeldocsError: neither can run it, or an input has no type.
    """
    for value in model.graph.inputs:
        if value.dtype is None:
            raise ModeldocsError(
                f"the type of the input {value.name!r} is not known", file=request.source
            )
    designed = _kept(proto, model, design(model))
    filled = _filled(proto, designed.parameters)
    against, software, made = _run(filled, designed.inputs, request)
    names = [value.name for value in proto.graph.output]
    reference = Reference(
        software=software,
        inputs=designed.inputs,
        outputs={name: made[name] for name in names},
        activations={name: array for name, array in made.items() if name not in names},
        parameters=designed.parameters,
        against=against,
    )
    return Proven(model, reference)


def _kept(proto: onnx.ModelProto, model: ir.Model, designed: Designed) -> Designed:
    """What was designed, but weights that are nodes of their own (Constant) as they are."""
    stored = {tensor.name for tensor in proto.graph.initializer}
    own: Arrays = {}
    for name, value in model.graph.initializers.items():
        is_weight = origin.parameter_kind(value) is not None
        if is_weight and name not in stored and value.const_value is not None:
            own[name] = value.const_value.numpy()
    return Designed(designed.parameters | own, designed.inputs)


def _filled(proto: onnx.ModelProto, parameters: Arrays) -> onnx.ModelProto:
    """The file with other values in its initializers."""
    made = onnx.ModelProto()
    made.CopyFrom(proto)
    for tensor in made.graph.initializer:
        array = parameters.get(tensor.name)
        if array is not None:
            kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
            tensor.CopyFrom(numpy_helper.from_array(array.astype(kind), tensor.name))
    return made


def _run(proto: onnx.ModelProto, inputs: Arrays, request: LoadRequest) -> tuple[str, str, Arrays]:
    """What kind of software ran it, which one, and all values by name."""
    domains = {node.domain for node in proto.graph.node}
    own = {function.domain for function in proto.functions}
    if domains - own <= _STANDARD:
        try:
            made = ReferenceEvaluator(proto).run(None, inputs, intermediate=True)
        except Exception as error:
            raise ModeldocsError(
                f"ONNX's reference cannot run it: {type(error).__name__}: {first_line(error)}",
                file=request.source,
                fix="check the file with onnx.checker; give open sizes with --input",
            ) from None
        arrays = {name: value for name, value in made.items() if isinstance(value, np.ndarray)}
        return "ONNX's reference", f"ONNX's reference {onnx.__version__}", arrays
    model = ir.from_proto(proto)
    names = [str(value.name) for node in model.graph for value in node.outputs if value.name]
    wanted = [*(value.name for value in proto.graph.output), *names]
    made = runtime.run(model, inputs, wanted)
    return "onnxruntime", f"onnxruntime {onnxruntime.__version__}", made
