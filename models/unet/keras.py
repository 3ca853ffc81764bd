"""U-Net as published: no padding, so that each skip connection is cropped to what comes up."""

import keras
from keras import KerasTensor, layers

WIDTHS = (64, 128, 256, 512, 1024)


def double(x: KerasTensor, width: int, name: str) -> KerasTensor:
    """Two 3x3 convolutions without padding."""
    x = layers.Conv2D(width, 3, activation="relu", name=f"{name}_conv1")(x)
    return layers.Conv2D(width, 3, activation="relu", name=f"{name}_conv2")(x)


def up(x: KerasTensor, skip: KerasTensor, width: int, name: str) -> KerasTensor:
    """Twice the size at half the channels, joined to the middle of the skip connection."""
    x = layers.Conv2DTranspose(width, 2, strides=2, name=f"{name}_up")(x)
    edge = (skip.shape[1] - x.shape[1]) // 2
    middle = layers.Cropping2D(edge, name=f"{name}_crop")(skip)
    x = layers.Concatenate(name=f"{name}_join")([middle, x])
    return double(x, width, name)


def model(channels: int = 1, classes: int = 2) -> keras.Model:
    """Two maps of 388 x 388, not yet a softmax."""
    image = keras.Input((572, 572, channels), name="image")
    x, skips = image, []
    for level, width in enumerate(WIDTHS, start=1):
        if skips:
            x = layers.MaxPooling2D(2, name=f"down{level}_pool")(x)
        x = double(x, width, f"down{level}")
        skips.append(x)
    x = layers.Dropout(0.5, name="dropout")(skips.pop())
    for level, width in enumerate(reversed(WIDTHS[:-1]), start=1):
        x = up(x, skips.pop(), width, f"up{level}")
    return keras.Model(image, layers.Conv2D(classes, 1, name="head")(x), name="unet")
