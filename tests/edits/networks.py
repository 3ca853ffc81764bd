"""Networks to edit: Caffe ports of our catalog, loaded in this process, and models of ONNX."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import onnx
import onnx_ir as ir

from modeldocs import edits, generators, normal
from modeldocs.generators import Network
from modeldocs.ir import Layer, LayerGraph, encode
from modeldocs.loaders import LoadRequest, weights
from modeldocs.loaders.caffe import CaffeLoader
from modeldocs.loaders.onnx import OnnxLoader
from tests.onnxes import parse

MODELS = Path(__file__).parents[2] / "models"


@functools.cache
def weightless(model: str, **inputs: tuple[int, ...]) -> bytes:
    folder = MODELS / model
    path = str(folder / "caffe.prototxt")
    request = LoadRequest(root=str(folder), path=path, name=model, inputs=inputs)
    loaded = CaffeLoader().load(request)
    normal.apply(loaded)
    return weights.without(loaded)


def caffe(model: str, **inputs: tuple[int, ...]) -> ir.Model:
    """A model's Caffe port in normal form; `inputs` are shapes to load it with."""
    return ir.from_proto(onnx.load_from_string(weightless(model, **inputs)))


def onnx_model(folder: Path, text: str, **given: object) -> ir.Model:
    """A model of `graph (inputs) => (outputs) { nodes }` in normal form."""
    file = folder / "model.onnx"
    file.write_bytes(parse(text, **given).SerializeToString())
    model = OnnxLoader().load(LoadRequest(root=str(folder), path=str(file), name="net"))
    normal.apply(model)
    return model


def edited(model: ir.Model, *words: str) -> LayerGraph:
    """A model with edits, each as `option value`."""
    edits.apply(model, [edits.parse(*one.split(" ", 1)) for one in words])
    return normal.read(model)


def bytes_of(model: ir.Model) -> tuple[bytes, str]:
    """The JSON of a model's graph, and its program in PyTorch."""
    program = generators.target("pytorch").draft(Network.of(model), "net")
    return encode(normal.read(model)), program.file("").text


def after(model: ir.Model, made: Sequence[edits.Edit]) -> tuple[bytes, str]:
    """The same with edits."""
    edits.apply(model, made)
    return bytes_of(model)


def layer(graph: LayerGraph, name: str) -> Layer:
    """The layer of that name or id."""
    (found,) = [one for one in graph.layers if name in (one.name, one.id)]
    return found


def parameter(one: Layer, role: str = "weight") -> tuple[object, ...]:
    """The shape of a layer's parameter."""
    (found,) = [held for held in one.parameters if held.role == role]
    return found.shape


def output(one: Layer) -> tuple[object, ...]:
    """The shape of a layer's output."""
    assert one.outputs[0].shape is not None
    return one.outputs[0].shape
