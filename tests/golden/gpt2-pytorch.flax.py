"""gpt2/pytorch in Flax."""

import jax
import jax.numpy as jnp
from flax import nnx

INPUTS = {"input_ids": ((1, 128), "int64")}


class Block(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.norm1 = nnx.LayerNorm(768, epsilon=1e-5, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(12, 768, decode=False, rngs=rngs)
        self.dropout1 = nnx.Dropout(0.1, rngs=rngs)
        self.norm2 = nnx.LayerNorm(768, epsilon=1e-5, rngs=rngs)
        self.mlp = nnx.Sequential(
            nnx.Linear(768, 3072, rngs=rngs), nnx.gelu, nnx.Linear(3072, 768, rngs=rngs)
        )
        self.dropout2 = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        x = x + self.dropout1(self.attention(self.norm1(x), is_causal=True))
        return x + self.dropout2(self.mlp(self.norm2(x)))


class Gpt2(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.tokens = nnx.Embed(50257, 768, rngs=rngs)
        self.positions_weight = nnx.Param(jnp.zeros((1024, 768)))
        self.dropout = nnx.Dropout(0.1, rngs=rngs)
        self.blocks = nnx.Sequential(*(Block(rngs=rngs) for _ in range(12)))
        self.norm = nnx.LayerNorm(768, epsilon=1e-5, rngs=rngs)

    def __call__(self, input_ids: jax.Array) -> jax.Array:
        x = self.blocks(
            self.dropout(self.tokens(input_ids) + self.positions_weight[:128])
        )
        return self.tokens.attend(self.norm(x))
