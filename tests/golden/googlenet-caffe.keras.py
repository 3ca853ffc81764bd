"""googlenet/caffe in Keras."""

import keras
from keras import KerasTensor, layers, ops


def local_response_norm(
    x: KerasTensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> KerasTensor:
    """Images divided by a power of the mean square of neighbouring channels."""
    channels = x.shape[-1]
    around = [[0, 0]] * (len(x.shape) - 1) + [[(size - 1) // 2, size // 2]]
    squares = ops.pad(ops.square(x), around)
    total = squares[..., :channels]
    for place in range(1, size):
        total = total + squares[..., place : place + channels]
    return x / (k + alpha / size * total) ** beta


def inception_module(
    x: KerasTensor,
    conv_1x1_channels: int,
    reduce_3x3_channels: int,
    conv_3x3_channels: int,
    reduce_5x5_channels: int,
    conv_5x5_channels: int,
    pool_proj_channels: int,
    name: str,
) -> KerasTensor:
    y = layers.Conv2D(conv_1x1_channels, 1, activation="relu", name=f"{name}_conv_1x1")(
        x
    )
    z = layers.Conv2D(
        reduce_3x3_channels, 1, activation="relu", name=f"{name}_reduce_3x3"
    )(x)
    z = layers.Conv2D(
        conv_3x3_channels, 3, padding="same", activation="relu", name=f"{name}_conv_3x3"
    )(z)
    x2 = layers.Conv2D(
        reduce_5x5_channels, 1, activation="relu", name=f"{name}_reduce_5x5"
    )(x)
    x2 = layers.Conv2D(
        conv_5x5_channels, 5, padding="same", activation="relu", name=f"{name}_conv_5x5"
    )(x2)
    x = layers.MaxPooling2D(3, strides=1, padding="same")(x)
    x = layers.Conv2D(
        pool_proj_channels, 1, activation="relu", name=f"{name}_pool_proj"
    )(x)
    return layers.Concatenate()([y, z, x2, x])


def model() -> keras.Model:
    data = keras.Input((224, 224, 3), name="data")
    x = layers.ZeroPadding2D(3)(data)
    x = layers.Conv2D(64, 7, strides=2, activation="relu", name="conv1_7x7_s2")(x)
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    x = local_response_norm(x, 5)
    x = layers.Conv2D(64, 1, activation="relu", name="conv2_3x3_reduce")(x)
    x = layers.Conv2D(192, 3, padding="same", activation="relu", name="conv2_3x3")(x)
    x = layers.MaxPooling2D(3, strides=2, padding="same")(local_response_norm(x, 5))
    x = inception_module(x, 64, 96, 128, 16, 32, 32, name="inception_3a")
    x = inception_module(x, 128, 128, 192, 32, 96, 64, name="inception_3b")
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    x = inception_module(x, 192, 96, 208, 16, 48, 64, name="inception_4a")
    x = inception_module(x, 160, 112, 224, 24, 64, 64, name="inception_4b")
    x = inception_module(x, 128, 128, 256, 24, 64, 64, name="inception_4c")
    x = inception_module(x, 112, 144, 288, 32, 64, 64, name="inception_4d")
    x = inception_module(x, 256, 160, 320, 32, 128, 128, name="inception_4e")
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    x = inception_module(x, 256, 160, 320, 32, 128, 128, name="inception_5a")
    x = inception_module(x, 384, 192, 384, 48, 128, 128, name="inception_5b")
    x = layers.GlobalAveragePooling2D(keepdims=True)(x)
    x = layers.Dropout(0.4)(x)
    x = layers.Flatten()(x)
    return keras.Model(
        data, layers.Dense(1000, activation="softmax", name="loss3_classifier")(x)
    )
