"""AlexNet as the BVLC reference model has it: two groups, normalisation before pooling."""

import mxnet as mx

INPUTS = {"data": (1, 3, 227, 227)}


def conv(x, name, filters, kernel, stride=1, pad=0, group=1):
    x = mx.sym.Convolution(
        x,
        num_filter=filters,
        kernel=(kernel, kernel),
        stride=(stride, stride),
        pad=(pad, pad),
        num_group=group,
        name=f"conv{name}",
    )
    return mx.sym.Activation(x, act_type="relu", name=f"relu{name}")


def normalised_pool(x, name):
    x = mx.sym.LRN(x, nsize=5, alpha=1e-4, beta=0.75, knorm=1, name=f"norm{name}")
    return pool(x, name)


def pool(x, name):
    return mx.sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pool_type="max", name=f"pool{name}")


def dense(x, name):
    x = mx.sym.FullyConnected(x, num_hidden=4096, name=f"fc{name}")
    x = mx.sym.Activation(x, act_type="relu", name=f"relu{name}")
    return mx.sym.Dropout(x, p=0.5, name=f"drop{name}")


def get_symbol(num_classes=1000):
    x = mx.sym.Variable("data")
    x = normalised_pool(conv(x, 1, 96, 11, stride=4), 1)
    x = normalised_pool(conv(x, 2, 256, 5, pad=2, group=2), 2)
    x = conv(x, 3, 384, 3, pad=1)
    x = conv(x, 4, 384, 3, pad=1, group=2)
    x = pool(conv(x, 5, 256, 3, pad=1, group=2), 5)
    x = dense(dense(x, 6), 7)
    x = mx.sym.FullyConnected(x, num_hidden=num_classes, name="fc8")
    return mx.sym.SoftmaxOutput(x, name="prob")
