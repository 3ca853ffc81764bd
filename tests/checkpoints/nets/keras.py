import keras
from keras import layers


def model():
    return keras.Sequential(
        [
            keras.Input((8, 6, 3)),
            layers.Conv2D(6, (3, 1), use_bias=False),
            layers.BatchNormalization(epsilon=1e-3),
            layers.ReLU(),
            layers.Flatten(),
            layers.Dropout(0.5),
            layers.Dense(10, activation="relu"),
            layers.Dense(5),
        ]
    )
