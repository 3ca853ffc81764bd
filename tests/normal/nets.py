"""Small nets with values, run in onnxruntime before and after the passes."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime

from modeldocs import normal
from modeldocs.ir import LayerGraph, origin
from modeldocs.loaders import weights

from ..onnxes import parse

Arrays = dict[str, np.ndarray]


class Net:
    """A model of text; what is given as a shape is a parameter, as an array a constant.

    Parameters and inputs are drawn by a seed; a parameter whose name starts with `v` is a variance.
    """

    def __init__(self, text: str, opset: int = 20, **given: object) -> None:
        random = np.random.default_rng(0)
        shapes = {name: held for name, held in given.items() if isinstance(held, tuple)}
        drawn = {
            name: np.abs(array) + np.float32(0.5) if name.startswith("v") else array
            for name, shape in shapes.items()
            for array in [random.standard_normal(shape).astype(np.float32)]
        }
        self.text, self.opset, self.weights = text, opset, given | drawn
        self.parameters = set(shapes)
        self.inputs = {
            value.name: random.standard_normal(tuple(value.shape)).astype(np.float32)
            for value in self.model().graph.inputs
        }

    def model(self) -> ir.Model:
        """The model, fresh."""
        made = ir.from_proto(parse(self.text, self.opset, **self.weights))
        for name in self.parameters:
            origin.mark_parameter(made.graph.initializers[name], trainable=True)
        return made

    def graph(self) -> LayerGraph:
        """Its layers; they are the same whether its parameters have values or not."""
        without = self.model()
        weights.drop(without)
        bare, full = normal.normalise(without), normal.normalise(self.model())
        assert bare == full
        return full

    def layers(self) -> list[str]:
        """Operators of its layers, of which onnxruntime gave the same as of the model."""
        before, held = run(self.model(), self.inputs), self.model()
        normal.apply(held)
        normal.make_runnable(held)
        onnx.checker.check_model(ir.to_proto(held), full_check=True)
        after = run(held, self.inputs)
        assert list(after) == list(before)
        for name, array in before.items():
            np.testing.assert_allclose(after[name], array, rtol=1e-4, atol=2e-5, err_msg=name)
        found = self.graph()
        assert set(found.parameters()) == self.parameters
        return [layer.operator for layer in found.layers]


def run(model: ir.Model, inputs: Arrays) -> Arrays:
    """The outputs by name."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        ir.to_proto(model).SerializeToString(), options, ["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))
