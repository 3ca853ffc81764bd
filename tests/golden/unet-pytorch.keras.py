"""unet/pytorch in Keras."""

import keras
from keras import KerasTensor, layers


def conv_conv(x: KerasTensor, channels: int, name: str) -> KerasTensor:
    x = layers.Conv2D(channels, 3, activation="relu", name=f"{name}_conv_0")(x)
    return layers.Conv2D(channels, 3, activation="relu", name=f"{name}_conv_2")(x)


def up(
    x: KerasTensor, y: KerasTensor, channels: int, size: int, size2: int, name: str
) -> KerasTensor:
    x = layers.Conv2DTranspose(channels, 2, strides=2, name=f"{name}_up")(x)
    y = layers.Concatenate()([y[:, size:size2, size:size2], x])
    return conv_conv(y, channels, name=f"{name}_convolutions")


def model() -> keras.Model:
    image = keras.Input((572, 572, 1), name="image")
    x = conv_conv(image, 64, name="down_0")
    y = layers.MaxPooling2D(2)(x)
    y = conv_conv(y, 128, name="down_1")
    z = layers.MaxPooling2D(2)(y)
    z = conv_conv(z, 256, name="down_2")
    x2 = layers.MaxPooling2D(2)(z)
    x2 = conv_conv(x2, 512, name="down_3")
    x3 = layers.MaxPooling2D(2)(x2)
    x3 = conv_conv(x3, 1024, name="down_4")
    x3 = layers.Dropout(0.5)(x3)
    x3 = up(x3, x2, 512, 4, 60, name="up_0")
    x3 = up(x3, z, 256, 16, 120, name="up_1")
    x3 = up(x3, y, 128, 40, 240, name="up_2")
    x3 = up(x3, x, 64, 88, 480, name="up_3")
    return keras.Model(image, layers.Conv2D(2, 1, name="head")(x3))
