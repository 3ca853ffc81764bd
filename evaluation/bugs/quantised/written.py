"""The rounded network written node by node as ONNX; `bug` is what the porter got wrong."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Nodes = list[onnx.NodeProto]


def tensor(name: str, *shape: int) -> onnx.TensorProto:
    made = np.random.default_rng(len(name)).normal(size=shape).astype(np.float32)
    return numpy_helper.from_array(made, name)


def number(name: str, value: float) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(value, np.float32), name)


class Writer:
    def __init__(self) -> None:
        self.nodes: Nodes = []
        self.held: list[onnx.TensorProto] = []

    def node(self, operator: str, *read: str, name: str = "", **attributes) -> str:
        made = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(read), [made], name=name, **attributes))
        return made

    def hold(self, value: float) -> str:
        self.held.append(number(f"c{len(self.held)}", value))
        return self.held[-1].name

    def rounded(self, x: str, step: float, name: str, bug: str) -> str:
        """`bug` is that of these levels."""
        step = 2 * step if bug == "step" else step
        x = self.node("Mul", x, self.hold(1 / step))
        if bug == "cut":
            x = self.node("Cast", x, to=TensorProto.INT32)
            x = self.node("Cast", x, to=TensorProto.FLOAT)
        elif bug == "half up":
            x = self.node("Floor", self.node("Add", x, self.hold(0.5)))
        elif bug != "not rounded":
            operator = {"floor": "Floor", "ceil": "Ceil"}.get(bug, "Round")
            x = self.node(operator, x, name=name)
        low, high = (0, 255) if bug == "without sign" else (-128, 127)
        high = 7 if bug == "fewer levels" else high
        x = self.node("Clip", x, self.hold(low), self.hold(high))
        return self.node("Mul", x, self.hold(step))


def network(bug: str = "") -> onnx.ModelProto:
    place, _, kind = bug.partition(": ")
    w = Writer()

    def at(name: str) -> str:
        return kind if name == place else ""

    held = [tensor("w1", 16, 3, 3, 3), tensor("b1", 16), tensor("w2", 24, 16, 3, 3)]
    held += [tensor("b2", 24), tensor("w3", 384, 32), tensor("b3", 32), tensor("w4", 32, 8)]
    held.append(tensor("b4", 8))
    x = w.rounded("x", 0.125, "round0", at("input"))
    x = w.node("Relu", w.node("Conv", x, "w1", "b1", name="conv1", pads=[1] * 4))
    x = w.rounded(x, 0.25, "round1", at("first"))
    x = w.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    if bug == "half floats":
        x = w.node("Cast", w.node("Cast", x, to=TensorProto.FLOAT16), to=TensorProto.FLOAT)
    x = w.node("Relu", w.node("Conv", x, "w2", "b2", name="conv2", pads=[1] * 4))
    x = w.rounded(x, 0.25, "round2", at("second"))
    x = w.node("Flatten", w.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]))
    x = w.node("Tanh", w.node("Add", w.node("MatMul", x, "w3", name="fc1"), "b3"))
    x = w.rounded(x, 0.0625, "round3", at("last"))
    w.node("Gemm", x, "w4", "b4", name="fc2")
    w.nodes[-1].output[0] = "y"
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])
    made = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8])
    graph = helper.make_graph(w.nodes, "rounded", [given], [made], [*held, *w.held])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    return model
