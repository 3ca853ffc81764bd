"""Caffe networks for tests."""

NET = """\
name: "net"
input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "relu" }
"""
"""A convolution of 112 parameters and its activation."""
