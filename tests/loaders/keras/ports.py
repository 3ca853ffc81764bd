"""Small ports in Keras, each written for one test, and the files of a definition by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from modeldocs.loaders import LoadRequest

HEAD = "import keras\nfrom keras import layers, ops\n"

SUBCLASSED = """
class Block(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = layers.Dense(4, activation="relu", name="dense")

    def call(self, x):
        return self.dense(x) + x[:, :4]


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(name="one"), Block(name="two")]

    def call(self, vector, training=None):
        for block in self.blocks:
            vector = block(vector)
        return vector


INPUTS = {"vector": (1, 6)}
"""

SOURCES: dict[str, str] = {
    "lines": """
def model():
    x = keras.Input((8, 8, 3), name="image")
    y = layers.Conv2D(
        4, 3, strides=2, padding="same", name="conv"
    )(x)
    return keras.Model(x, ops.relu(y))
""",
    "subclassed": SUBCLASSED,
    "unbuilt": "def model():\n    return keras.Sequential([layers.Dense(4), layers.ReLU()])\n"
    'INPUTS = {"vector": (1, 6)}\n',
    "shapeless": "def model():\n    return keras.Sequential([layers.Dense(4)])\n",
    "open": """
def model():
    x = keras.Input((None, None, 3), name="image")
    return keras.Model(x, layers.Conv2D(4, 3, padding="same")(x))
""",
    "built_with_values": """
def model():
    made = keras.Sequential([keras.Input((6,)), layers.Dense(2, name="dense")])
    made.layers[0].set_weights([weight * 2 for weight in made.layers[0].get_weights()])
    return made
""",
    "tensorflow": """
import tensorflow as tf


class Net(keras.Model):
    def call(self, x):
        return tf.nn.relu(x) * 2.0


INPUTS = {"x": (1, 6)}
""",
    "symbolic": """
import numpy as np


class Net(keras.Model):
    def call(self, x):
        return layers.Dense(2)(np.asarray(x))


INPUTS = {"x": (1, 6)}
""",
    "unusual": """
import tensorflow as tf


def model():
    x = keras.Input((6,))
    return keras.Model(x, layers.Dense(2)(tf.math.bessel_i0(x)))
""",
    "earlier": """
class Scale(layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight("scale", shape=(shape[-1],))

    def call(self, x):
        return x * self.scale


def model():
    x = keras.Input((8, 8, 3))
    y = layers.Conv2D(4, 3, padding="same", name="stem/conv")(x)
    first = keras.Model(x, y).layers[-1]
    _, height, width, depth = y.get_shape().as_list()
    y = layers.Reshape((height * width * first.output_shape[-1],))(Scale(name="scale")(y))
    assert y.shape.as_list() == [None, 64 * depth]
    return keras.Model(x, layers.Dense(3, name="head")(y))
""",
    "unread": """
class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.head = layers.Dense(2, name="head")
        self.other = layers.Dense(5, name="other")
        self.other.build((None, 6))

    def call(self, x):
        return self.head(x)


INPUTS = {"x": (1, 6)}
""",
    "hybrid": """
import tensorflow as tf


class Odd(layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight((shape[-1],), name="scale")

    def call(self, x):
        if not tf.is_tensor(x):
            raise TypeError("it takes tensors")
        return tf.nn.relu(x) * self.scale


def model():
    x = keras.Input((6,))
    return keras.Model(x, layers.Dense(2)(Odd(name="odd")(x)))
""",
    "raising": "def model():\n    return layers.Dense(-1)\n",
    "nothing": "def model():\n    return 3\n",
    "wrong_shape": """
def model():
    x = keras.Input((8, 8, 3), name="image")
    return keras.Model(x, layers.Conv2D(4, 3)(x))


INPUTS = {"image": (1, 3, 8, 8)}
""",
    "frozen": """
def model():
    x = keras.Input((6,))
    base = keras.Sequential([keras.Input((6,)), layers.Dense(5, name="kept")], name="base")
    base.trainable = False
    return keras.Model(x, layers.Dense(2, name="learned")(base(x)))
""",
    "half": """
def model():
    keras.config.set_dtype_policy("mixed_float16")
    x = keras.Input((6,))
    made = keras.Model(x, layers.Dense(2, dtype="float32")(layers.Dense(4)(x)))
    keras.config.set_dtype_policy("float32")
    return made
""",
    "many_calls": """
def model():
    inner = keras.Sequential([keras.Input((4,)), layers.Dense(4)])
    for _ in range(18):
        x = keras.Input((4,))
        inner = keras.Model(x, inner(inner(x)))
    return inner
""",
}

LEGACY: dict[str, Any] = {
    "class_name": "Model",
    "keras_version": "2.2.4",
    "backend": "tensorflow",
    "config": {
        "name": "old",
        "layers": [
            {
                "name": "input_1",
                "class_name": "InputLayer",
                "config": {
                    "batch_input_shape": [None, 8, 8, 3],
                    "dtype": "float32",
                    "sparse": False,
                    "name": "input_1",
                },
                "inbound_nodes": [],
            },
            {
                "name": "conv",
                "class_name": "Conv2D",
                "config": {"name": "conv", "filters": 4, "kernel_size": [3, 3], "padding": "same"},
                "inbound_nodes": [[["input_1", 0, 0, {}]]],
            },
            {
                "name": "norm",
                "class_name": "BatchNormalization",
                "config": {"name": "norm", "axis": [3], "epsilon": 0.001},
                "inbound_nodes": [[["conv", 0, 0, {}]]],
            },
        ],
        "input_layers": [["input_1", 0, 0]],
        "output_layers": [["norm", 0, 0]],
    },
}


def requests(folder: Path) -> dict[str, LoadRequest]:
    """A request for each source, written into a folder of its own."""
    made = {}
    for name, source in SOURCES.items():
        file = folder / name / "keras.py"
        file.parent.mkdir()
        file.write_text(HEAD + source)
        made[name] = LoadRequest(root=str(file.parent), path=str(file), name="net")
    old = folder / "old.json"
    old.write_text(json.dumps(LEGACY))
    made["legacy"] = LoadRequest(root=str(folder), path=str(old), name="net")
    made["published"] = LoadRequest(
        root=str(folder), module="keras.applications", entry="MobileNetV2", args={"alpha": 0.35}
    )
    asked = {"image": (1, 10, 12, 3)}
    made["open_asked"] = LoadRequest(
        root=made["open"].root, path=made["open"].path, inputs=asked, name="net"
    )
    return made
