"""Files that Keras saved, read as data: no weights are loaded, and no code in them is run."""
