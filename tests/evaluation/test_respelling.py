"""A respelt model computes what it did, and its layers are known again by their names."""

from random import Random

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from evaluation.diff.respeller import Respeller
from evaluation.diff.respelling import REWRITES
from evaluation.diff.respelt import respelt
from modeldocs import normal

SEEDS = range(20)


def model() -> onnx.ModelProto:
    """Branches, sums, parts of a channel axis, a mean, and attention that looks back."""
    draw = np.random.default_rng(0)
    held = [
        numpy_helper.from_array(draw.normal(size=shape).astype(np.float32), name)
        for name, shape in (("w1", (4, 4, 3, 3)), ("w2", (4, 4, 1, 1)))
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"], name="relu"),
        helper.make_node("Conv", ["b", "w2"], ["c"], name="point"),
        helper.make_node("Add", ["x", "b"], ["d"], name="inner"),
        helper.make_node("Add", ["d", "c"], ["e"], name="outer"),
        helper.make_node("Concat", ["b", "c", "e"], ["f"], name="flat", axis=1),
        helper.make_node("Concat", ["f", "x"], ["g"], name="nested", axis=1),
        helper.make_node("GlobalAveragePool", ["g"], ["h"], name="mean"),
        helper.make_node("Mul", ["g", "h"], ["i"], name="gated"),
        helper.make_node("Split", ["i"], ["q", "k"], name="split", axis=1, num_outputs=2),
        helper.make_node("Attention", ["q", "k", "k"], ["y0"], name="read", is_causal=1),
        helper.make_node("Relu", ["y0"], ["y"], name="last"),
    ]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 6, 5])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "net", [given], [made], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


def ran(proto: onnx.ModelProto) -> np.ndarray:
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    given = np.random.default_rng(1).normal(size=(1, 4, 6, 5)).astype(np.float32)
    return session.run(None, {"x": given})[0]


def read() -> ir.Model:
    return ir.from_proto(onnx.shape_inference.infer_shapes(model()))


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.__name__)
def test_a_rewrite_keeps_what_is_computed(rewrite):
    expected, changed = ran(model()), 0
    for seed in SEEDS:
        rewritten = read()
        before = [node.op_type for node in rewritten.graph]
        operands = [v.name for node in rewritten.graph for v in node.inputs if v]
        rewrite(Respeller(rewritten, Random(seed)))
        changed += before != [node.op_type for node in rewritten.graph]
        changed += operands != [v.name for node in rewritten.graph for v in node.inputs if v]
        np.testing.assert_allclose(ran(ir.to_proto(rewritten)), expected, rtol=1e-4, atol=1e-5)
    assert changed


def test_all_rewrites_together_keep_what_is_computed():
    expected = ran(model())
    for seed in SEEDS:
        rewritten = read()
        respeller = Respeller(rewritten, Random(seed))
        for rewrite in REWRITES:
            rewrite(respeller)
        np.testing.assert_allclose(ran(ir.to_proto(rewritten)), expected, rtol=1e-4, atol=1e-5)


def test_layers_that_are_still_there_go_by_their_ids():
    graph = normal.normalise(read())
    for seed in SEEDS:
        found = respelt(graph, ir.to_proto(read()).SerializeToString(), seed)
        names = graph.names()
        kept = [layer for layer in found.graph.layers if layer.id in found.kept]
        assert {"conv", "relu", "point", "last"} <= {names[layer.id] for layer in kept}
        assert all(names[layer.id] == layer.name for layer in kept)
        assert found.touched <= {layer.id for layer in found.graph.layers}
