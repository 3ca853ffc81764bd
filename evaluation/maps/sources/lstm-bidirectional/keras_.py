import keras
from keras import layers


def model():
    x = keras.Input((7, 5), batch_size=2)
    y = layers.Bidirectional(layers.LSTM(6, return_sequences=True))(x)
    y = layers.Bidirectional(layers.LSTM(6, return_sequences=True))(y)
    return keras.Model(x, layers.Dense(3)(y))
