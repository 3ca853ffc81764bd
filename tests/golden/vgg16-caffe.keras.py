"""vgg16/caffe in Keras."""

import keras
from keras import layers


def model() -> keras.Model:
    data = keras.Input((224, 224, 3), name="data")
    x = layers.Conv2D(64, 3, padding="same", activation="relu", name="conv1_1")(data)
    x = layers.Conv2D(64, 3, padding="same", activation="relu", name="conv1_2")(x)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Conv2D(128, 3, padding="same", activation="relu", name="conv2_1")(x)
    x = layers.Conv2D(128, 3, padding="same", activation="relu", name="conv2_2")(x)
    x = layers.MaxPooling2D(2)(x)
    for number in range(1, 4):
        x = layers.Conv2D(
            256, 3, padding="same", activation="relu", name=f"conv3_{number}"
        )(x)
    x = layers.MaxPooling2D(2)(x)
    for number in range(1, 4):
        x = layers.Conv2D(
            512, 3, padding="same", activation="relu", name=f"conv4_{number}"
        )(x)
    x = layers.MaxPooling2D(2)(x)
    for number in range(1, 4):
        x = layers.Conv2D(
            512, 3, padding="same", activation="relu", name=f"conv5_{number}"
        )(x)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Flatten()(x)
    x = layers.Dense(4096, activation="relu", name="fc6")(x)
    x = layers.Dropout(0.5)(x)
    x = layers.Dense(4096, activation="relu", name="fc7")(x)
    x = layers.Dropout(0.5)(x)
    return keras.Model(data, layers.Dense(1000, activation="softmax", name="fc8")(x))
