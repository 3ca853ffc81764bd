"""GPT-2 small with its language-modelling head, which shares the matrix of the tokens."""

import keras
from keras import KerasTensor, layers, ops

INPUTS = {"input_ids": ((1, 128), "int32")}

VOCABULARY, POSITIONS = 50257, 1024
WIDTH, HEADS, BLOCKS = 768, 12, 12
EPSILON, DROPOUT = 1e-5, 0.1


class SelfAttention(layers.Layer):
    """Query, key and value from one dense layer; each token reads itself and those before it."""

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
        read = ops.dot_product_attention(query, key, value, is_causal=True)
        return self.output_dense(ops.reshape(read, (-1, steps, WIDTH)))


class Block(layers.Layer):
    """Attention, then two dense layers; each reads normalised states and is added to them."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.norm1 = layers.LayerNormalization(epsilon=EPSILON, name="norm1")
        self.attention = SelfAttention(name="attention")
        self.dropout1 = layers.Dropout(DROPOUT, name="dropout1")
        self.norm2 = layers.LayerNormalization(epsilon=EPSILON, name="norm2")
        self.wide = layers.Dense(4 * WIDTH, activation=gelu, name="wide")
        self.narrow = layers.Dense(WIDTH, name="narrow")
        self.dropout2 = layers.Dropout(DROPOUT, name="dropout2")

    def call(self, x: KerasTensor) -> KerasTensor:
        x = x + self.dropout1(self.attention(self.norm1(x)))
        return x + self.dropout2(self.narrow(self.wide(self.norm2(x))))


def gelu(x: KerasTensor) -> KerasTensor:
    """By tanh, as GPT-2 was trained."""
    return keras.activations.gelu(x, approximate=True)


class GPT2(keras.Model):
    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.tokens = layers.ReversibleEmbedding(VOCABULARY, WIDTH, name="tokens")
        self.positions = layers.Embedding(POSITIONS, WIDTH, name="positions")
        self.dropout = layers.Dropout(DROPOUT, name="dropout")
        self.blocks = [Block(name=f"block{number}") for number in range(BLOCKS)]
        self.norm = layers.LayerNormalization(epsilon=EPSILON, name="norm")

    def call(self, input_ids: KerasTensor) -> KerasTensor:
        """Logits of the token after each, 1 x 128 x 50257."""
        places = ops.arange(input_ids.shape[1])
        x = self.dropout(self.tokens(input_ids) + self.positions(places))
        for block in self.blocks:
            x = block(x)
        return self.tokens(self.norm(x), reverse=True)
