"""The same network in Keras, channels last; `bug` is what the porter got wrong."""

import keras
from keras import layers


def network(bug: str = "") -> keras.Model:
    given = keras.Input((32, 32, 3), batch_size=1, name="x")
    x = layers.Conv2D(16, 3, padding="same", name="c1")(given)
    x = layers.BatchNormalization(epsilon=1e-5 if bug == "epsilon" else 1e-3, name="n1")(x)
    x = layers.Activation("gelu" if bug == "gelu" else "relu", name="r1")(x)
    x = layers.MaxPooling2D(2, name="p1")(x)
    made = layers.DepthwiseConv2D(
        3, padding="same", depth_multiplier=2, use_bias=bug == "bias", name="d"
    )(x)
    made = layers.BatchNormalization(epsilon=1e-3, name="n2")(made)
    made = layers.ReLU(None if bug == "unbounded" else 6.0, name="r2")(made)
    made = layers.Conv2D(16, 1, use_bias=False, name="c2")(made)
    x = (
        layers.Multiply(name="sum")([x, made])
        if bug == "product"
        else layers.Add(name="sum")([x, made])
    )
    pool = layers.AveragePooling2D if bug == "average pool" else layers.MaxPooling2D
    x = layers.Flatten(name="flat")(pool(2, name="p2")(x))
    x = layers.Dense(32, activation="selu" if bug == "selu" else "elu", name="f1")(x)
    return keras.Model(given, layers.Dense(10, activation="softmax", name="f2")(x))
