"""The tower in Keras, channels last, gates cut by hand; `bug` is in the second of three."""

import keras
from keras import layers, ops

WIDTH, LENGTH = 16, 32


class Scale(layers.Layer):
    def build(self, shape) -> None:
        self.gamma = self.add_weight(shape=(shape[-1],), name="gamma")

    def call(self, x):
        return x * self.gamma


def gated(x, dilation: int, name: str, bug: str):
    norm = layers.BatchNormalization(epsilon=1e-3 if bug == "epsilon" else 1e-5, name=f"{name}n")
    dilation = 3 if bug == "dilation" else dilation
    made = layers.Conv1D(
        2 * WIDTH, 3, padding="causal" if bug == "causal" else "same", dilation_rate=dilation,
        name=f"{name}c",
    )(x)  # fmt: skip
    value, gate = made[:, :, :WIDTH], made[:, :, WIDTH:]
    if bug == "halves exchanged":
        value, gate = gate, value
    if bug == "tanh of the value":
        value = ops.tanh(value)
    opened = {"swish gate": ops.silu, "hard gate": ops.hard_sigmoid, "gelu gate": ops.gelu}
    gate = opened.get(bug, ops.sigmoid)(gate)
    made = norm(value) * gate if bug == "norm of the value" else norm(value * gate)
    made = layers.Conv1D(WIDTH, 1, name=f"{name}m")(made)
    if bug == "scale of the sum":
        return Scale(name=f"{name}s")(x + made)
    if bug != "no layer scale":
        made = Scale(name=f"{name}s")(made)
    return made if bug == "no residual" else x + made


def network(bug: str = "") -> keras.Model:
    given = keras.Input((LENGTH, 1), batch_size=1, name="x")
    x = layers.Conv1D(WIDTH, 1, name="stem")(given)
    for place, dilation in enumerate((1, 2, 4)):
        x = gated(x, dilation, "abc"[place], bug if place == 1 else "")
    x = layers.Conv1D(10, 1, name="head")(ops.tanh(x))
    heat = 1.0 if bug == "no temperature" else 0.7
    return keras.Model(given, ops.softmax(x / heat, axis=1 if bug == "softmax axis" else -1))
