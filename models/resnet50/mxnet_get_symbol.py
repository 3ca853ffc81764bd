"""ResNet-50 as published: the stride of a stage's first block sits in its first 1 x 1."""

import mxnet as mx

INPUTS = {"data": (1, 3, 224, 224)}
EPSILON = 2e-5
STAGES = ((3, 256, 1), (4, 512, 2), (6, 1024, 2), (3, 2048, 2))


def conv(x, name, filters, kernel=1, stride=1, pad=0):
    x = mx.sym.Convolution(
        x,
        num_filter=filters,
        kernel=(kernel, kernel),
        stride=(stride, stride),
        pad=(pad, pad),
        no_bias=True,
        name=f"{name}_conv",
    )
    return mx.sym.BatchNorm(x, eps=EPSILON, fix_gamma=False, name=f"{name}_bn")


def relu(x, name):
    return mx.sym.Activation(x, act_type="relu", name=f"{name}_relu")


def unit(x, name, filters, stride, projected):
    """1x1 down to a quarter, 3x3, 1x1 up, added to the shortcut."""
    y = relu(conv(x, f"{name}_a", filters // 4, stride=stride), f"{name}_a")
    y = relu(conv(y, f"{name}_b", filters // 4, 3, pad=1), f"{name}_b")
    y = conv(y, f"{name}_c", filters)
    shortcut = conv(x, f"{name}_sc", filters, stride=stride) if projected else x
    return relu(mx.sym.elemwise_add(y, shortcut, name=f"{name}_plus"), name)


def get_symbol(num_classes=1000):
    x = mx.sym.Variable("data", shape=INPUTS["data"])
    x = relu(conv(x, "stem", 64, 7, stride=2, pad=3), "stem")
    x = mx.sym.Pooling(
        x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max", name="stem_pool"
    )
    for stage, (units, filters, stride) in enumerate(STAGES, start=1):
        for index in range(1, units + 1):
            first = index == 1
            x = unit(x, f"stage{stage}_unit{index}", filters, stride if first else 1, first)
    x = mx.sym.Pooling(x, kernel=(7, 7), global_pool=True, pool_type="avg", name="pool1")
    x = mx.sym.FullyConnected(mx.sym.Flatten(x), num_hidden=num_classes, name="fc1")
    return mx.sym.SoftmaxOutput(x, name="softmax")
