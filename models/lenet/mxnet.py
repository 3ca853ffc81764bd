"""LeNet as a symbol: the layers of Caffe's MNIST example."""

import mxnet as mx

INPUTS = {"data": (1, 1, 28, 28)}


def get_symbol(num_classes=10):
    x = mx.sym.Variable("data")
    x = mx.sym.Convolution(x, kernel=(5, 5), num_filter=20, name="conv1")
    x = mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool1")
    x = mx.sym.Convolution(x, kernel=(5, 5), num_filter=50, name="conv2")
    x = mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool2")
    x = mx.sym.FullyConnected(x, num_hidden=500, name="ip1")
    x = mx.sym.Activation(x, act_type="relu", name="relu1")
    x = mx.sym.FullyConnected(x, num_hidden=num_classes, name="ip2")
    return mx.sym.SoftmaxOutput(x, name="prob")
