"""gpt2/pytorch in Keras."""

import keras
from keras import KerasTensor, layers, ops


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
    x = layers.Reshape((128, 768))(
        ops.dot_product_attention(
            layers.Reshape((128, 12, 64))(query),
            layers.Reshape((128, 12, 64))(key),
            layers.Reshape((128, 12, 64))(value),
            is_causal=True,
        )
    )
    return layers.Dense(768, name=f"{name}_output")(x)


def mlp(x: KerasTensor, name: str) -> KerasTensor:
    x = layers.Dense(3072, name=f"{name}_dense_0")(x)
    return layers.Dense(768, name=f"{name}_dense_2")(ops.gelu(x))


def block(x: KerasTensor, name: str) -> KerasTensor:
    y = layers.LayerNormalization(epsilon=1e-5, name=f"{name}_norm1")(x)
    y = self_attention(y, name=f"{name}_attention")
    y = layers.Dropout(0.1)(y)
    x = x + y
    y = layers.LayerNormalization(epsilon=1e-5, name=f"{name}_norm2")(x)
    y = mlp(y, name=f"{name}_mlp")
    y = layers.Dropout(0.1)(y)
    return x + y


def model() -> keras.Model:
    input_ids = keras.Input((128,), name="input_ids", dtype="int64")
    tokens = layers.ReversibleEmbedding(50257, 768, name="tokens")
    x = tokens(input_ids)
    x = x + Parameter((1024, 768), name="positions_weight")(x)[:128, :]
    x = layers.Dropout(0.1)(x)
    for number in range(12):
        x = block(x, name=f"blocks_{number}")
    x = layers.LayerNormalization(epsilon=1e-5, name="norm")(x)
    return keras.Model(input_ids, tokens(x, reverse=True))
