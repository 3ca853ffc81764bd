"""A perceptron of two hidden layers for MNIST digits given as vectors."""

import keras
from keras import layers


def model(classes: int = 10) -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((784,), name="image"),
            layers.Dense(512, activation="relu"),
            layers.Dropout(0.2),
            layers.Dense(512, activation="relu"),
            layers.Dropout(0.2),
            layers.Dense(classes, activation="softmax"),
        ],
        name="simple_mlp",
    )
