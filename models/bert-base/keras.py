"""BERT base: the encoder and its pooler, every token reading all others."""

import keras
from keras import KerasTensor, layers, ops

VOCABULARY, POSITIONS, TYPES = 30522, 512, 2
WIDTH, HEADS, BLOCKS = 768, 12, 12
EPSILON, DROPOUT = 1e-12, 0.1


class Embeddings(layers.Layer):
    """The sum of what a token, its type and its place are."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.words = layers.Embedding(VOCABULARY, WIDTH, name="words")
        self.positions = layers.Embedding(POSITIONS, WIDTH, name="positions")
        self.types = layers.Embedding(TYPES, WIDTH, name="types")
        self.norm = layers.LayerNormalization(epsilon=EPSILON, name="norm")
        self.dropout = layers.Dropout(DROPOUT, name="dropout")

    def call(self, input_ids: KerasTensor, token_type_ids: KerasTensor) -> KerasTensor:
        places = ops.arange(input_ids.shape[1])
        x = self.words(input_ids) + self.types(token_type_ids) + self.positions(places)
        return self.dropout(self.norm(x))


class Block(layers.Layer):
    """Attention, then two dense layers; each is added to what came in, then normalised."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(HEADS, WIDTH // HEADS, name="attention")
        self.dropout1 = layers.Dropout(DROPOUT, name="dropout1")
        self.norm1 = layers.LayerNormalization(epsilon=EPSILON, name="norm1")
        self.intermediate = layers.Dense(4 * WIDTH, activation="gelu", name="intermediate")
        self.output_dense = layers.Dense(WIDTH, name="output")
        self.dropout2 = layers.Dropout(DROPOUT, name="dropout2")
        self.norm2 = layers.LayerNormalization(epsilon=EPSILON, name="norm2")

    def call(self, x: KerasTensor) -> KerasTensor:
        x = self.norm1(x + self.dropout1(self.attention(x, x)))
        return self.norm2(x + self.dropout2(self.output_dense(self.intermediate(x))))


def model(steps: int = 128) -> keras.Model:
    """The last block's states, 1 x 128 x 768, and the pooled first one, 1 x 768."""
    input_ids = keras.Input((steps,), dtype="int32", name="input_ids")
    token_type_ids = keras.Input((steps,), dtype="int32", name="token_type_ids")
    x = Embeddings(name="embeddings")(input_ids, token_type_ids)
    for number in range(BLOCKS):
        x = Block(name=f"block{number}")(x)
    pooled = layers.Dense(WIDTH, activation="tanh", name="pooler")(x[:, 0])
    return keras.Model([input_ids, token_type_ids], [x, pooled], name="bert_base")
