"""TensorFlow's saved graphs: read, checked, inlined and reduced to what inference runs."""
