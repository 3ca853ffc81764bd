"""A net of what the catalog's have little of: norms, gates, windows and recurrence."""

import keras
from keras import layers


def build() -> keras.Model:
    x = start = keras.Input((20, 20, 6), batch_size=1)
    x = layers.BatchNormalization(epsilon=1e-4)(layers.Conv2D(16, 3, padding="same")(x))
    x = layers.LeakyReLU(negative_slope=0.2)(x)
    x = layers.GroupNormalization(4, epsilon=1e-5)(x)
    x = layers.Activation("gelu")(layers.SeparableConv2D(12, 3, strides=2, padding="same")(x))
    both = [layers.MaxPooling2D(3, 1, "same")(x), layers.AveragePooling2D(3, 1, "same")(x)]
    x = layers.Concatenate()(both)
    x = layers.Conv2DTranspose(12, 3, strides=2, padding="same")(x)
    x = layers.UpSampling2D(2, interpolation="bilinear")(layers.ELU(0.5)(x))
    x = layers.Reshape((1600, 12))(x)
    x = layers.LayerNormalization(epsilon=1e-12)(x[:, :32])
    x = layers.Add()([x, layers.MultiHeadAttention(2, 6)(x, x)])
    x = layers.GRU(12, return_sequences=True)(x)
    x = layers.LSTM(12, return_sequences=True)(x)
    x = layers.UnitNormalization()(layers.PReLU(shared_axes=[1])(x))
    x = layers.ReLU(max_value=0.5)(x)
    return keras.Model(start, layers.Softmax(axis=1)(x))
