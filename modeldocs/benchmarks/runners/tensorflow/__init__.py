"""Measures TensorFlow's graphs; what ports of Keras need of it, too."""
