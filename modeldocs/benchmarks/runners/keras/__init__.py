"""Measures ports of Keras, with TensorFlow as its backend."""
