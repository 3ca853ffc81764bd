"""Small definitions to load, and what is asked of every model that comes out."""

from __future__ import annotations

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime

from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import CaffeLoader
from tests.refusals import load_or_refuse

REPOSITORY = Path(__file__).parents[3]
SHARED = (REPOSITORY / "../shared/data/caffe").resolve()


def load_file(path: Path, **request: Any) -> ir.Model:
    """The model in a file, found to be a valid ONNX graph whose shapes ONNX agrees with."""
    model = CaffeLoader().load(LoadRequest(root=str(path.parent), path=path.name, **request))
    check(model)
    return model


def load(text: str, **request: Any) -> ir.Model:
    """The model in a text, checked likewise."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "net.prototxt")
        path.write_text(text, encoding="utf-8")
        return load_file(path, **request)


def load_saved(data: bytes, **request: Any) -> ir.Model:
    """The model in a `.caffemodel`, checked likewise."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "net.caffemodel")
        path.write_bytes(data)
        return load_file(path, **request)


def load_or_hear(name: str, data: bytes, folder: Path) -> ir.Model | None:
    """The model in a file, or None where it was refused in one sentence."""
    path = folder / name
    path.write_bytes(data)
    CaffeLoader().recognises(path)
    result = load_or_refuse(lambda: CaffeLoader().load(LoadRequest(root=str(folder), path=name)))
    return None if isinstance(result, ModeldocsError) else result


def net(layer: str, *shapes: tuple[int, ...]) -> str:
    """A network of one layer (or more) behind inputs `a`, `b` … of the given shapes."""
    inputs = "".join(
        f'layer {{ name: "{name}" type: "Input" top: "{name}" input_param {{ shape {{ '
        + " ".join(f"dim: {dim}" for dim in shape)
        + " } } }\n"
        for name, shape in zip("abcdef", shapes, strict=False)
    )
    return inputs + layer


def one(
    kind: str, settings: str = "", bottoms: str = "a", tops: str = "y", *, name: str = "it"
) -> str:
    """One layer."""
    said = "".join(f' bottom: "{b}"' for b in bottoms) + "".join(f' top: "{t}"' for t in tops)
    return f'layer {{ name: "{name}" type: "{kind}"{said} {settings} }}'


def check(model: ir.Model) -> None:
    proto = ir.to_proto(model)
    absent = [tensor for tensor in proto.graph.initializer if tensor.data_location]
    for tensor in absent:
        proto.graph.initializer.remove(tensor)
        kind = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        proto.graph.input.append(kind)
    onnx.checker.check_model(proto, full_check=True)
    told = {value.name: value for value in [*proto.graph.value_info, *proto.graph.output]}
    made = [name for node in proto.graph.node for name in node.output]
    assert told.keys() >= set(made), "every value has a type"
    standard = {name for node in proto.graph.node if not node.domain for name in node.output}
    for values in (proto.graph.value_info, proto.graph.output):
        for value in list(values):
            if value.name in standard:
                told[value.name] = onnx.ValueInfoProto.FromString(value.SerializeToString())
                value.type.tensor_type.ClearField("shape")
    inferred = onnx.shape_inference.infer_shapes(proto, strict_mode=True, data_prop=True)
    for value in [*inferred.graph.value_info, *inferred.graph.output]:
        if value.type.tensor_type.HasField("shape"):
            assert _agree(_dims(value), _dims(told[value.name])), value.name


def _dims(value: onnx.ValueInfoProto) -> list[int | str]:
    return [dim.dim_value or dim.dim_param for dim in value.type.tensor_type.shape.dim]


def _agree(inferred: list[int | str], told: list[int | str]) -> bool:
    """Whether two shapes are the same as far as both are known."""
    return len(inferred) == len(told) and all(
        one == other or not (isinstance(one, int) and isinstance(other, int))
        for one, other in zip(inferred, told, strict=True)
    )


def run(model: ir.Model, *inputs: np.ndarray, **weights: np.ndarray) -> list[np.ndarray]:
    """The model's outputs; `weights` by the role behind the layer's name."""
    proto = ir.to_proto(model)
    for index, tensor in enumerate(proto.graph.initializer):
        if tensor.data_location:
            array = weights[tensor.name.rpartition(".")[2]].astype(np.float32)
            proto.graph.initializer[index].CopyFrom(
                onnx.numpy_helper.from_array(array, tensor.name)
            )
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options)
    names = [value.name for value in session.get_inputs()]
    return session.run(None, dict(zip(names, inputs, strict=True)))


def shapes(model: ir.Model) -> dict[str, tuple[Any, ...]]:
    """Every blob's shape by name; an unknown dimension is None."""
    values = [v for node in model.graph for v in node.outputs] + list(model.graph.inputs)
    return {
        str(v.name): tuple(d if isinstance(d, int) else d.value for d in v.shape)
        for v in values
        if v.shape is not None
    }


def operators(model: ir.Model) -> list[str]:
    """Operator types in order, those of Caffe's own domain with it."""
    return [f"{node.domain}::{node.op_type}".removeprefix("::") for node in model.graph]


def parameters(model: ir.Model, kind: str = "trainable") -> dict[str, tuple[int, ...]]:
    """Shapes of the parameters of a kind."""
    found = model.graph.initializers.values()
    return {str(v.name): tuple(v.shape.numpy()) for v in found if origin.parameter_kind(v) == kind}


def count(model: ir.Model, kind: str = "trainable") -> int:
    """Values in the parameters of a kind."""
    return sum(math.prod(shape) for shape in parameters(model, kind).values())


def notes(model: ir.Model) -> list[str]:
    """What a reader is told of how the model was loaded."""
    told: list[str] = json.loads(model.metadata_props["modeldocs.notes"])
    return told
