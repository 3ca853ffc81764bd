"""vit-b-16/pytorch in Keras."""

import keras
from keras import KerasTensor, layers, ops


class ForEachItem(layers.Layer):
    """A tensor once for each item of a batch."""

    def call(self, tensor: KerasTensor, batch: KerasTensor) -> KerasTensor:
        return ops.broadcast_to(tensor, (ops.shape(batch)[0], *tensor.shape[1:]))


class Parameter(layers.Layer):
    """A tensor that is learned, the same whatever the layer is called with."""

    def __init__(self, shape: tuple[int, ...], **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.size = shape

    def build(self, _: object) -> None:
        self.value = self.add_weight(shape=self.size, initializer="zeros", name="value")

    def call(self, _: KerasTensor) -> KerasTensor:
        return ops.convert_to_tensor(self.value)


def self_attention(x: KerasTensor, name: str) -> KerasTensor:
    x = layers.Dense(2304, name=f"{name}_query_key_value")(x)
    query, key, value = ops.split(x, 3, axis=-1)
    x = layers.Reshape((197, 768))(
        ops.dot_product_attention(
            layers.Reshape((197, 12, 64))(query),
            layers.Reshape((197, 12, 64))(key),
            layers.Reshape((197, 12, 64))(value),
        )
    )
    return layers.Dense(768, name=f"{name}_output")(x)


def mlp(x: KerasTensor, name: str) -> KerasTensor:
    x = layers.Dense(3072, activation="gelu", name=f"{name}_dense_0")(x)
    return layers.Dense(768, name=f"{name}_dense_2")(x)


def block(x: KerasTensor, name: str) -> KerasTensor:
    y = layers.LayerNormalization(epsilon=1e-6, name=f"{name}_norm1")(x)
    y = self_attention(y, name=f"{name}_attention")
    x = x + y
    y = layers.LayerNormalization(epsilon=1e-6, name=f"{name}_norm2")(x)
    y = mlp(y, name=f"{name}_mlp")
    return x + y


def model() -> keras.Model:
    image = keras.Input((224, 224, 3), name="image")
    x = layers.Conv2D(768, 16, strides=16, name="patches")(image)
    y = layers.Reshape((196, 768))(x)
    x = layers.Concatenate(axis=1)(
        [ForEachItem()(Parameter((1, 1, 768), name="class_token")(x), y), y]
    )
    x = x + Parameter((1, 197, 768), name="positions")(x)
    for number in range(12):
        x = block(x, name=f"blocks_{number}")
    x = layers.LayerNormalization(epsilon=1e-6, name="norm")(x)
    return keras.Model(image, layers.Dense(1000, name="head")(x[:, 0]))
