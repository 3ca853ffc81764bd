import keras
from keras import layers


def model():
    x = keras.Input((7, 5), batch_size=2)
    return keras.Model(x, layers.Bidirectional(layers.GRU(6, return_sequences=True))(x))
