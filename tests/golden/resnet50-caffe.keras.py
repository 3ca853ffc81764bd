"""resnet50/caffe in Keras."""

import keras
from keras import KerasTensor, layers


def bottleneck(
    x: KerasTensor, channels: int, name: str, strides: int = 2
) -> KerasTensor:
    y = layers.Conv2D(
        4 * channels, 1, strides=strides, use_bias=False, name=f"{name}_res_branch1"
    )(x)
    y = layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_branch1")(y)
    x = layers.Conv2D(
        channels, 1, strides=strides, use_bias=False, name=f"{name}_res_branch2a"
    )(x)
    x = layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_branch2a")(x)
    x = layers.Activation("relu")(x)
    x = layers.Conv2D(
        channels, 3, padding="same", use_bias=False, name=f"{name}_res_branch2b"
    )(x)
    x = layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_branch2b")(x)
    x = layers.Activation("relu")(x)
    x = layers.Conv2D(4 * channels, 1, use_bias=False, name=f"{name}_res_branch2c")(x)
    x = layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_branch2c")(x)
    return layers.Activation("relu")(y + x)


def bottleneck2(x: KerasTensor, channels: int, name: str) -> KerasTensor:
    y = layers.Conv2D(channels, 1, use_bias=False, name=f"{name}_res_branch2a")(x)
    y = layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_branch2a")(y)
    y = layers.Activation("relu")(y)
    y = layers.Conv2D(
        channels, 3, padding="same", use_bias=False, name=f"{name}_res_branch2b"
    )(y)
    y = layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_branch2b")(y)
    y = layers.Activation("relu")(y)
    y = layers.Conv2D(4 * channels, 1, use_bias=False, name=f"{name}_res_branch2c")(y)
    y = layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_branch2c")(y)
    return layers.Activation("relu")(x + y)


def model() -> keras.Model:
    data = keras.Input((224, 224, 3), name="data")
    x = layers.ZeroPadding2D(3)(data)
    x = layers.Conv2D(64, 7, strides=2, name="conv1")(x)
    x = layers.BatchNormalization(epsilon=1e-5, name="bn_conv1")(x)
    x = layers.Activation("relu")(x)
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    x = bottleneck(x, 64, strides=1, name="res2a")
    x = bottleneck2(x, 64, name="res2b")
    x = bottleneck2(x, 64, name="res2c")
    x = bottleneck(x, 128, name="res3a")
    x = bottleneck2(x, 128, name="res3b")
    x = bottleneck2(x, 128, name="res3c")
    x = bottleneck2(x, 128, name="res3d")
    x = bottleneck(x, 256, name="res4a")
    x = bottleneck2(x, 256, name="res4b")
    x = bottleneck2(x, 256, name="res4c")
    x = bottleneck2(x, 256, name="res4d")
    x = bottleneck2(x, 256, name="res4e")
    x = bottleneck2(x, 256, name="res4f")
    x = bottleneck(x, 512, name="res5a")
    x = bottleneck2(x, 512, name="res5b")
    x = bottleneck2(x, 512, name="res5c")
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(data, layers.Dense(1000, activation="softmax", name="fc1000")(x))
