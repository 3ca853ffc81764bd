"""TorchScript archives: their graphs, interpreted in Python so that torch can trace them."""
