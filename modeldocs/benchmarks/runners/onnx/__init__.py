"""Measures ONNX files in onnxruntime."""
