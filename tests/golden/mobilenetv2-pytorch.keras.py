"""mobilenetv2/pytorch in Keras."""

import keras
from keras import KerasTensor, layers


def conv_bn(
    x: KerasTensor, channels: int, kernel_size: int, name: str, strides: int = 1
) -> KerasTensor:
    x = layers.Conv2D(
        channels, kernel_size, strides=strides, use_bias=False, name=f"{name}_conv_0"
    )(x)
    x = layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_1")(x)
    return layers.Activation("relu6")(x)


def depthwise_conv_bn(
    x: KerasTensor, name: str, strides: int = 1, padding: str = "same"
) -> KerasTensor:
    x = layers.DepthwiseConv2D(
        3,
        strides=strides,
        padding=padding,
        use_bias=False,
        name=f"{name}_depthwiseconv_0",
    )(x)
    x = layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_1")(x)
    return layers.Activation("relu6")(x)


def conv(
    x: KerasTensor, convbn_0_channels: int, conv_2_channels: int, name: str
) -> KerasTensor:
    x = conv_bn(x, convbn_0_channels, 1, name=f"{name}_convbn_0")
    x = layers.ZeroPadding2D(1)(x)
    x = depthwise_conv_bn(
        x, strides=2, padding="valid", name=f"{name}_depthwiseconvbn_1"
    )
    x = layers.Conv2D(conv_2_channels, 1, use_bias=False, name=f"{name}_conv_2")(x)
    return layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_3")(x)


def conv2(
    x: KerasTensor, convbn_0_channels: int, conv_2_channels: int, name: str
) -> KerasTensor:
    x = conv_bn(x, convbn_0_channels, 1, name=f"{name}_convbn_0")
    x = depthwise_conv_bn(x, name=f"{name}_depthwiseconvbn_1")
    x = layers.Conv2D(conv_2_channels, 1, use_bias=False, name=f"{name}_conv_2")(x)
    return layers.BatchNormalization(epsilon=1e-5, name=f"{name}_bn_3")(x)


def inverted_residual(x: KerasTensor, name: str) -> KerasTensor:
    x = depthwise_conv_bn(x, name=f"{name}_conv_0")
    x = layers.Conv2D(16, 1, use_bias=False, name=f"{name}_conv_1")(x)
    return layers.BatchNormalization(epsilon=1e-5, name=f"{name}_conv_2")(x)


def inverted_residual2(
    x: KerasTensor, convbn_0_channels: int, conv_2_channels: int, name: str
) -> KerasTensor:
    return conv(x, convbn_0_channels, conv_2_channels, name=f"{name}_conv")


def inverted_residual3(x: KerasTensor, conv_2_channels: int, name: str) -> KerasTensor:
    y = conv2(x, 6 * conv_2_channels, conv_2_channels, name=f"{name}_conv")
    return x + y


def inverted_residual4(
    x: KerasTensor, convbn_0_channels: int, conv_2_channels: int, name: str
) -> KerasTensor:
    return conv2(x, convbn_0_channels, conv_2_channels, name=f"{name}_conv")


def model() -> keras.Model:
    image = keras.Input((224, 224, 3), name="image")
    x = layers.ZeroPadding2D(1)(image)
    x = conv_bn(x, 32, 3, strides=2, name="features_0")
    x = inverted_residual(x, name="features_1")
    x = inverted_residual2(x, 96, 24, name="features_2")
    x = inverted_residual3(x, 24, name="features_3")
    x = inverted_residual2(x, 144, 32, name="features_4")
    x = inverted_residual3(x, 32, name="features_5")
    x = inverted_residual3(x, 32, name="features_6")
    x = inverted_residual2(x, 192, 64, name="features_7")
    for number in range(8, 11):
        x = inverted_residual3(x, 64, name=f"features_{number}")
    x = inverted_residual4(x, 384, 96, name="features_11")
    x = inverted_residual3(x, 96, name="features_12")
    x = inverted_residual3(x, 96, name="features_13")
    x = inverted_residual2(x, 576, 160, name="features_14")
    x = inverted_residual3(x, 160, name="features_15")
    x = inverted_residual3(x, 160, name="features_16")
    x = inverted_residual4(x, 960, 320, name="features_17")
    x = conv_bn(x, 1280, 1, name="features_18")
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.2)(x)
    return keras.Model(image, layers.Dense(1000, name="classifier_1")(x))
