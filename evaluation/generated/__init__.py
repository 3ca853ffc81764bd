"""Generated graphs of every standard operator and version, held against onnxruntime."""
