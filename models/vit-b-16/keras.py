"""ViT-B/16: patches of 16 x 16 as tokens, and one more that the class is read from."""

import keras
from keras import KerasTensor, layers, ops

INPUTS = {"image": (1, 224, 224, 3)}

SIZE, PATCH = 224, 16
WIDTH, HEADS, BLOCKS = 768, 12, 12
EPSILON = 1e-6


class SelfAttention(layers.Layer):
    """Query, key and value from one dense layer; every token reads all others."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.query_key_value = layers.Dense(3 * WIDTH, name="query_key_value")
        self.output_dense = layers.Dense(WIDTH, name="output")

    def call(self, x: KerasTensor) -> KerasTensor:
        steps = x.shape[1]
        query, key, value = (
            ops.reshape(part, (-1, steps, HEADS, WIDTH // HEADS))
            for part in ops.split(self.query_key_value(x), 3, axis=2)
        )
        read = ops.dot_product_attention(query, key, value)
        return self.output_dense(ops.reshape(read, (-1, steps, WIDTH)))


class Block(layers.Layer):
    """Attention, then two dense layers; each reads normalised states and is added to them."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.norm1 = layers.LayerNormalization(epsilon=EPSILON, name="norm1")
        self.attention = SelfAttention(name="attention")
        self.norm2 = layers.LayerNormalization(epsilon=EPSILON, name="norm2")
        self.wide = layers.Dense(4 * WIDTH, activation="gelu", name="wide")
        self.narrow = layers.Dense(WIDTH, name="narrow")

    def call(self, x: KerasTensor) -> KerasTensor:
        x = x + self.attention(self.norm1(x))
        return x + self.narrow(self.wide(self.norm2(x)))


class ViT(keras.Model):
    def __init__(self, classes: int = 1000, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.patches = layers.Conv2D(WIDTH, PATCH, strides=PATCH, name="patches")
        self.blocks = [Block(name=f"block{number}") for number in range(BLOCKS)]
        self.norm = layers.LayerNormalization(epsilon=EPSILON, name="norm")
        self.head = layers.Dense(classes, name="head")

    def build(self, _: object) -> None:
        steps = (SIZE // PATCH) ** 2
        self.class_token = self.add_weight((1, 1, WIDTH), "zeros", name="class_token")
        self.positions = self.add_weight((1, steps + 1, WIDTH), "zeros", name="positions")

    def call(self, image: KerasTensor) -> KerasTensor:
        x = ops.reshape(self.patches(image), (-1, (SIZE // PATCH) ** 2, WIDTH))
        token = ops.broadcast_to(self.class_token, (ops.shape(x)[0], 1, WIDTH))
        x = ops.concatenate([token, x], axis=1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])
