"""The chain written node by node as ONNX, the first dense layer as a product and a sum."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def tensor(name: str, *shape: int) -> onnx.TensorProto:
    made = np.random.default_rng(len(name)).normal(size=shape).astype(np.float32)
    return numpy_helper.from_array(made, name)


def network(bug: str = "") -> onnx.ModelProto:
    groups = 1 if bug == "groups" else 2
    held = [tensor("w1", 16, 3, 5, 5), tensor("b1", 16), tensor("w2", 32, 16 // groups, 3, 3)]
    held += [tensor("b2", 32), tensor("w3", 1568, 64), tensor("b3", 64)]
    held += [tensor("w4", 64, 10), tensor("b4", 10)]
    padded = [0, 0, 1, 1] if bug == "pads behind" else [1, 1, 1, 1]
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["h1"], name="conv1", strides=[2, 2]),
        helper.make_node("Relu", ["h1"], ["h2"], name="relu1"),
        helper.make_node(
            "LRN",
            ["h2"],
            ["h3"],
            name="lrn1",
            size=5,
            alpha=1e-4,
            beta=0.5 if bug == "beta" else 0.75,
            bias=2.0 if bug == "bias of response" else 1.0,
        ),
        helper.make_node(
            "MaxPool",
            ["h3"],
            ["h4"],
            name="pool1",
            kernel_shape=[2, 2] if bug == "window" else [3, 3],
            strides=[2, 2],
        ),
        helper.make_node(
            "Conv", ["h4", "w2", "b2"], ["h5"], name="conv2", pads=[1] * 4, group=groups
        ),
        helper.make_node("Relu", ["h5"], ["h6"], name="relu2"),
        helper.make_node(
            "AveragePool",
            ["h6"],
            ["h7"],
            name="pool2",
            kernel_shape=[3, 3],
            strides=[2, 2],
            pads=padded,
            count_include_pad=1 if bug == "pads counted" else 0,
        ),
        helper.make_node("Flatten", ["h7"], ["h8"], name="flat"),
        helper.make_node("MatMul", ["h8", "w3"], ["h9"], name="fc1"),
        helper.make_node("Add", ["h9", "b3"], ["h10"], name="fc1_bias"),
        helper.make_node("Elu" if bug == "elu" else "Relu", ["h10"], ["h11"], name="relu3"),
        helper.make_node("Gemm", ["h11", "w4", "b4"], ["y"], name="fc2"),
    ]
    if bug == "missing activation":
        nodes = [node for node in nodes if node.name != "relu2"]
        nodes[5].input[0] = "h5"
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 61, 61])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])
    graph = helper.make_graph(nodes, "chain", [given], [made], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    return model
