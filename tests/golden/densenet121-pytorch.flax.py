"""densenet121/pytorch in Flax."""

from functools import partial

import jax
import jax.numpy as jnp
from flax import nnx

INPUTS = {"image": (1, 224, 224, 3)}


class BNReluConvAvgPool(nnx.Sequential):
    def __init__(self, features: int, *, rngs: nnx.Rngs) -> None:
        super().__init__(
            nnx.BatchNorm(2 * features, rngs=rngs),
            nnx.relu,
            nnx.Conv(2 * features, features, (1, 1), use_bias=False, rngs=rngs),
            partial(nnx.avg_pool, window_shape=(2, 2), strides=(2, 2)),
        )


class DenseLayer(nnx.Module):
    def __init__(self, channels: int, *, rngs: nnx.Rngs) -> None:
        self.norm1 = nnx.BatchNorm(channels, rngs=rngs)
        self.conv1 = nnx.Conv(channels, 128, (1, 1), use_bias=False, rngs=rngs)
        self.norm2 = nnx.BatchNorm(128, rngs=rngs)
        self.conv2 = nnx.Conv(128, 32, (3, 3), use_bias=False, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        y = self.conv2(nnx.relu(self.norm2(self.conv1(nnx.relu(self.norm1(x))))))
        return jnp.concatenate([x, y], axis=-1)


class Densenet121(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.stem = nnx.Sequential(
            nnx.Conv(3, 64, (7, 7), strides=2, padding=3, use_bias=False, rngs=rngs),
            nnx.BatchNorm(64, rngs=rngs),
            nnx.relu,
            partial(
                nnx.max_pool,
                window_shape=(3, 3),
                strides=(2, 2),
                padding=((1, 1), (1, 1)),
            ),
        )
        self.blocks = nnx.Sequential(
            nnx.Sequential(*(DenseLayer(n, rngs=rngs) for n in range(64, 256, 32))),
            BNReluConvAvgPool(128, rngs=rngs),
            nnx.Sequential(*(DenseLayer(n, rngs=rngs) for n in range(128, 512, 32))),
            BNReluConvAvgPool(256, rngs=rngs),
            nnx.Sequential(*(DenseLayer(n, rngs=rngs) for n in range(256, 1024, 32))),
            BNReluConvAvgPool(512, rngs=rngs),
            nnx.Sequential(*(DenseLayer(n, rngs=rngs) for n in range(512, 1024, 32))),
        )
        self.norm = nnx.BatchNorm(1024, rngs=rngs)
        self.classifier = nnx.Linear(1024, 1000, rngs=rngs)

    def __call__(self, image: jax.Array) -> jax.Array:
        x = nnx.relu(self.norm(self.blocks(self.stem(image)))).mean(axis=(1, 2))
        return nnx.softmax(self.classifier(x))
