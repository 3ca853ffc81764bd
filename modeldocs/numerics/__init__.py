"""Numbers: graphs run in onnxruntime, and how close arrays are to each other."""
