"""mobilenetv2/pytorch in Flax."""

import jax
from flax import nnx

INPUTS = {"image": (1, 224, 224, 3)}


class ConvBNRelu6(nnx.Sequential):
    def __init__(
        self,
        in_features: int,
        features: int,
        kernel_size: tuple[int, ...],
        strides: int = 1,
        padding: int | str = 1,
        feature_group_count: int = 1,
        *,
        rngs: nnx.Rngs,
    ) -> None:
        super().__init__(
            nnx.Conv(
                in_features,
                features,
                kernel_size,
                strides=strides,
                padding=padding,
                feature_group_count=feature_group_count,
                use_bias=False,
                rngs=rngs,
            ),
            nnx.BatchNorm(features, rngs=rngs),
            nnx.relu6,
        )


class InvertedResidual(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.conv = nnx.Sequential(
            ConvBNRelu6(32, 32, (3, 3), feature_group_count=32, rngs=rngs),
            nnx.Conv(32, 16, (1, 1), use_bias=False, rngs=rngs),
            nnx.BatchNorm(16, rngs=rngs),
        )

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.conv(x)


class InvertedResidual2(nnx.Module):
    def __init__(
        self, in_features: int, features: int, strides: int = 2, *, rngs: nnx.Rngs
    ) -> None:
        self.conv = nnx.Sequential(
            ConvBNRelu6(
                in_features, 6 * in_features, (1, 1), padding="SAME", rngs=rngs
            ),
            ConvBNRelu6(
                6 * in_features,
                6 * in_features,
                (3, 3),
                strides=strides,
                feature_group_count=6 * in_features,
                rngs=rngs,
            ),
            nnx.Conv(6 * in_features, features, (1, 1), use_bias=False, rngs=rngs),
            nnx.BatchNorm(features, rngs=rngs),
        )

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.conv(x)


class InvertedResidual3(nnx.Module):
    def __init__(self, features: int, *, rngs: nnx.Rngs) -> None:
        self.conv = nnx.Sequential(
            ConvBNRelu6(features, 6 * features, (1, 1), padding="SAME", rngs=rngs),
            ConvBNRelu6(
                6 * features,
                6 * features,
                (3, 3),
                feature_group_count=6 * features,
                rngs=rngs,
            ),
            nnx.Conv(6 * features, features, (1, 1), use_bias=False, rngs=rngs),
            nnx.BatchNorm(features, rngs=rngs),
        )

    def __call__(self, x: jax.Array) -> jax.Array:
        return x + self.conv(x)


class Mobilenetv2(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.features = nnx.Sequential(
            ConvBNRelu6(3, 32, (3, 3), strides=2, rngs=rngs),
            InvertedResidual(rngs=rngs),
            InvertedResidual2(16, 24, rngs=rngs),
            InvertedResidual3(24, rngs=rngs),
            InvertedResidual2(24, 32, rngs=rngs),
            InvertedResidual3(32, rngs=rngs),
            InvertedResidual3(32, rngs=rngs),
            InvertedResidual2(32, 64, rngs=rngs),
            *(InvertedResidual3(64, rngs=rngs) for _ in range(3)),
            InvertedResidual2(64, 96, strides=1, rngs=rngs),
            InvertedResidual3(96, rngs=rngs),
            InvertedResidual3(96, rngs=rngs),
            InvertedResidual2(96, 160, rngs=rngs),
            InvertedResidual3(160, rngs=rngs),
            InvertedResidual3(160, rngs=rngs),
            InvertedResidual2(160, 320, strides=1, rngs=rngs),
            ConvBNRelu6(320, 1280, (1, 1), padding="SAME", rngs=rngs),
        )
        self.classifier = nnx.Sequential(
            nnx.Dropout(0.2, rngs=rngs), nnx.Linear(1280, 1000, rngs=rngs)
        )

    def __call__(self, image: jax.Array) -> jax.Array:
        return self.classifier(self.features(image).mean(axis=(1, 2)))
