"""GoogLeNet without its auxiliary classifiers; pools round up, as in the original."""

import mxnet as mx

INPUTS = {"data": (1, 3, 224, 224)}


def conv(x, name, filters, kernel=1, stride=1, pad=0):
    x = mx.sym.Convolution(
        x,
        num_filter=filters,
        kernel=(kernel, kernel),
        stride=(stride, stride),
        pad=(pad, pad),
        name=name,
    )
    return mx.sym.Activation(x, act_type="relu", name=f"{name}_relu")


def pool(x, name, stride=2, pad=0):
    return mx.sym.Pooling(
        x,
        kernel=(3, 3),
        stride=(stride, stride),
        pad=(pad, pad),
        pool_type="max",
        pooling_convention="full",
        name=name,
    )


def lrn(x, name):
    return mx.sym.LRN(x, nsize=5, alpha=1e-4, beta=0.75, knorm=1, name=name)


def inception(x, name, one, reduced_three, three, reduced_five, five, projected):
    """Four branches side by side, joined along the channels."""
    branches = [
        conv(x, f"{name}_1x1", one),
        conv(conv(x, f"{name}_3x3_reduce", reduced_three), f"{name}_3x3", three, 3, pad=1),
        conv(conv(x, f"{name}_5x5_reduce", reduced_five), f"{name}_5x5", five, 5, pad=2),
        conv(pool(x, f"{name}_pool", stride=1, pad=1), f"{name}_pool_proj", projected),
    ]
    return mx.sym.Concat(*branches, dim=1, name=f"{name}_output")


def get_symbol(num_classes=1000):
    x = mx.sym.Variable("data")
    x = lrn(pool(conv(x, "conv1", 64, 7, stride=2, pad=3), "pool1"), "norm1")
    x = conv(conv(x, "conv2_reduce", 64), "conv2", 192, 3, pad=1)
    x = pool(lrn(x, "norm2"), "pool2")
    x = inception(x, "inception_3a", 64, 96, 128, 16, 32, 32)
    x = inception(x, "inception_3b", 128, 128, 192, 32, 96, 64)
    x = pool(x, "pool3")
    x = inception(x, "inception_4a", 192, 96, 208, 16, 48, 64)
    x = inception(x, "inception_4b", 160, 112, 224, 24, 64, 64)
    x = inception(x, "inception_4c", 128, 128, 256, 24, 64, 64)
    x = inception(x, "inception_4d", 112, 144, 288, 32, 64, 64)
    x = inception(x, "inception_4e", 256, 160, 320, 32, 128, 128)
    x = pool(x, "pool4")
    x = inception(x, "inception_5a", 256, 160, 320, 32, 128, 128)
    x = inception(x, "inception_5b", 384, 192, 384, 48, 128, 128)
    x = mx.sym.Pooling(x, kernel=(7, 7), pool_type="avg", name="pool5")
    x = mx.sym.Dropout(x, p=0.4, name="drop")
    x = mx.sym.FullyConnected(x, num_hidden=num_classes, name="classifier")
    return mx.sym.SoftmaxOutput(x, name="prob")
