"""LeNet as Caffe's MNIST example defines it: two convolutions, two pools, two dense layers."""

import keras
from keras import layers


def model(classes: int = 10) -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((28, 28, 1), name="image"),
            layers.Conv2D(20, 5, name="conv1"),
            layers.MaxPooling2D(2, name="pool1"),
            layers.Conv2D(50, 5, name="conv2"),
            layers.MaxPooling2D(2, name="pool2"),
            layers.Flatten(name="flatten"),
            layers.Dense(500, activation="relu", name="ip1"),
            layers.Dense(classes, activation="softmax", name="ip2"),
        ],
        name="lenet",
    )
