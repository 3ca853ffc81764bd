"""Two pairs of convolutions with dropout; the first of each pair keeps the image's size."""

import keras
from keras import layers


def pair(width: int) -> list[layers.Layer]:
    return [
        layers.Conv2D(width, 3, padding="same", activation="relu"),
        layers.Conv2D(width, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Dropout(0.25),
    ]


def model(classes: int = 10) -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((32, 32, 3), name="image"),
            *pair(32),
            *pair(64),
            layers.Flatten(),
            layers.Dense(512, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(classes, activation="softmax"),
        ],
        name="simple_cnn",
    )
