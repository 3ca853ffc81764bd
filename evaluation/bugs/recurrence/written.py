"""The reader written node by node as ONNX, steps first; `bug` is what the porter got wrong."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LENGTH = 9


def tensor(name: str, *shape: int) -> onnx.TensorProto:
    made = np.random.default_rng(len(name)).normal(size=shape).astype(np.float32)
    return numpy_helper.from_array(made, name)


def integers(name: str, *values: int) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, np.int64), name)


def network(bug: str = "") -> onnx.ModelProto:
    held = [tensor("table", 40, 24), tensor("lw", 1, 80, 24), tensor("lr", 1, 80, 20)]
    held += [tensor("lb", 1, 160), tensor("gw", 1, 48, 20), tensor("gr", 1, 48, 16)]
    held += [tensor("gb", 1, 96), tensor("s", 16), tensor("t", 16), tensor("w", 16, 5)]
    held += [tensor("b", 5), integers("one", 1)]
    held.append(numpy_helper.from_array(np.array(0 if bug == "first state" else -1), "last"))
    long = {"hidden_size": 20}
    if bug == "sigmoid of cells":
        long["activations"] = ["Sigmoid", "Sigmoid", "Tanh"]
    if bug == "clipped":
        long["clip"] = 0.5
    if bug == "forget coupled":
        long["input_forget"] = 1
    reset = 0 if bug == "reset before" else 1
    gated = {"hidden_size": 16, "linear_before_reset": reset}
    if bug == "backwards":
        gated["direction"] = "reverse"
    if bug == "hard gates":
        gated["activations"] = ["HardSigmoid", "Tanh"]
    epsilon = 1e-3 if bug == "epsilon" else 1e-5
    nodes = [
        helper.make_node("Transpose", ["tokens"], ["turned"], perm=[1, 0]),
        helper.make_node("Gather", ["table", "turned"], ["x"], name="words"),
        helper.make_node("LSTM", ["x", "lw", "lr", "lb"], ["h1", "", ""], name="long", **long),
        helper.make_node("Squeeze", ["h1", "one"], ["h2"]),
        helper.make_node("GRU", ["h2", "gw", "gr", "gb"], ["h3", ""], name="gated", **gated),
        helper.make_node("Squeeze", ["h3", "one"], ["h4"]),
        helper.make_node("Gather", ["h4", "last"], ["h5"], name="state", axis=0),
        helper.make_node(
            "LayerNormalization", ["h5", "s", "t"], ["h6"], name="norm", axis=-1, epsilon=epsilon
        ),
        helper.make_node("Gemm", ["h6", "w", "b"], ["y"], name="head"),
    ]
    given = helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, LENGTH])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])
    graph = helper.make_graph(nodes, "reader", [given], [made], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    return model
