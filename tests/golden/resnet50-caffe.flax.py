"""resnet50/caffe in Flax."""

import jax
from flax import nnx

INPUTS = {"data": (1, 224, 224, 3)}


class Bottleneck(nnx.Module):
    def __init__(
        self, in_features: int, features: int, strides: int = 2, *, rngs: nnx.Rngs
    ) -> None:
        self.res_branch1 = nnx.Conv(
            in_features,
            4 * features,
            (1, 1),
            strides=strides,
            use_bias=False,
            rngs=rngs,
        )
        self.bn_branch1 = nnx.BatchNorm(4 * features, rngs=rngs)
        self.res_branch2a = nnx.Conv(
            in_features, features, (1, 1), strides=strides, use_bias=False, rngs=rngs
        )
        self.bn_branch2a = nnx.BatchNorm(features, rngs=rngs)
        self.res_branch2b = nnx.Conv(
            features, features, (3, 3), use_bias=False, rngs=rngs
        )
        self.bn_branch2b = nnx.BatchNorm(features, rngs=rngs)
        self.res_branch2c = nnx.Conv(
            features, 4 * features, (1, 1), use_bias=False, rngs=rngs
        )
        self.bn_branch2c = nnx.BatchNorm(4 * features, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        y = self.bn_branch1(self.res_branch1(x))
        x = self.res_branch2b(nnx.relu(self.bn_branch2a(self.res_branch2a(x))))
        y = y + self.bn_branch2c(self.res_branch2c(nnx.relu(self.bn_branch2b(x))))
        return nnx.relu(y)


class Bottleneck2(nnx.Module):
    def __init__(self, features: int, *, rngs: nnx.Rngs) -> None:
        self.res_branch2a = nnx.Conv(
            4 * features, features, (1, 1), use_bias=False, rngs=rngs
        )
        self.bn_branch2a = nnx.BatchNorm(features, rngs=rngs)
        self.res_branch2b = nnx.Conv(
            features, features, (3, 3), use_bias=False, rngs=rngs
        )
        self.bn_branch2b = nnx.BatchNorm(features, rngs=rngs)
        self.res_branch2c = nnx.Conv(
            features, 4 * features, (1, 1), use_bias=False, rngs=rngs
        )
        self.bn_branch2c = nnx.BatchNorm(4 * features, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        y = self.res_branch2b(nnx.relu(self.bn_branch2a(self.res_branch2a(x))))
        x = x + self.bn_branch2c(self.res_branch2c(nnx.relu(self.bn_branch2b(y))))
        return nnx.relu(x)


class Resnet50(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.conv1 = nnx.Conv(3, 64, (7, 7), strides=2, padding=3, rngs=rngs)
        self.bn_conv1 = nnx.BatchNorm(64, rngs=rngs)
        self.res2a = Bottleneck(64, 64, strides=1, rngs=rngs)
        self.res2b = Bottleneck2(64, rngs=rngs)
        self.res2c = Bottleneck2(64, rngs=rngs)
        self.res3a = Bottleneck(256, 128, rngs=rngs)
        self.res3b = Bottleneck2(128, rngs=rngs)
        self.res3c = Bottleneck2(128, rngs=rngs)
        self.res3d = Bottleneck2(128, rngs=rngs)
        self.res4a = Bottleneck(512, 256, rngs=rngs)
        self.res4b = Bottleneck2(256, rngs=rngs)
        self.res4c = Bottleneck2(256, rngs=rngs)
        self.res4d = Bottleneck2(256, rngs=rngs)
        self.res4e = Bottleneck2(256, rngs=rngs)
        self.res4f = Bottleneck2(256, rngs=rngs)
        self.res5a = Bottleneck(1024, 512, rngs=rngs)
        self.res5b = Bottleneck2(512, rngs=rngs)
        self.res5c = Bottleneck2(512, rngs=rngs)
        self.fc1000 = nnx.Linear(2048, 1000, rngs=rngs)

    def __call__(self, data: jax.Array) -> jax.Array:
        x = nnx.relu(self.bn_conv1(self.conv1(data)))
        x = self.res2a(nnx.max_pool(x, (3, 3), strides=(2, 2), padding="SAME"))
        x = self.res3d(self.res3c(self.res3b(self.res3a(self.res2c(self.res2b(x))))))
        x = self.res4f(self.res4e(self.res4d(self.res4c(self.res4b(self.res4a(x))))))
        x = self.fc1000(self.res5c(self.res5b(self.res5a(x))).mean(axis=(1, 2)))
        return nnx.softmax(x)
