"""lenet/keras in Keras."""

import keras
from keras import layers


def model() -> keras.Model:
    image = keras.Input((28, 28, 1), name="image")
    x = layers.Conv2D(20, 5, name="conv1")(image)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Conv2D(50, 5, name="conv2")(x)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Flatten()(x)
    x = layers.Dense(500, activation="relu", name="ip1")(x)
    return keras.Model(image, layers.Dense(10, activation="softmax", name="ip2")(x))
