"""ResNet-50 v2: normalisation and ReLU before each convolution, the image normalised first."""

import mxnet as mx

INPUTS = {"data": (1, 3, 224, 224)}
STAGES = ((3, 256, 1), (4, 512, 2), (6, 1024, 2), (3, 2048, 2))
"""Units, channels and the first unit's stride of each stage."""


def conv(x, name, filters, kernel=1, stride=1):
    return mx.sym.Convolution(
        x,
        num_filter=filters,
        kernel=(kernel, kernel),
        stride=(stride, stride),
        pad=(kernel // 2, kernel // 2),
        no_bias=True,
        name=name,
    )


def norm(x, name, fixed=False):
    return mx.sym.BatchNorm(x, eps=2e-5, fix_gamma=fixed, name=name)


def active(x, name, number=""):
    """Normalised, then ReLU."""
    return mx.sym.Activation(
        norm(x, f"{name}bn{number}"), act_type="relu", name=f"{name}relu{number}"
    )


def unit(x, name, filters, stride, projected):
    """1x1 down to a quarter, 3x3, 1x1 up; the sum goes on as it is."""
    first = active(x, name, 1)
    y = conv(first, f"{name}conv1", filters // 4)
    y = conv(active(y, name, 2), f"{name}conv2", filters // 4, 3, stride)
    y = conv(active(y, name, 3), f"{name}conv3", filters)
    return y + (conv(first, f"{name}sc", filters, 1, stride) if projected else x)


def get_symbol(num_classes=1000):
    x = norm(mx.sym.Variable("data"), "bn_data", fixed=True)
    x = active(conv(x, "conv0", 64, 7, 2), "", 0)
    x = mx.sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max", name="pool0")
    for stage, (units, filters, stride) in enumerate(STAGES, start=1):
        for index in range(1, units + 1):
            first = index == 1
            x = unit(x, f"stage{stage}_unit{index}_", filters, stride if first else 1, first)
    x = mx.sym.Pooling(
        active(x, "", 1), kernel=(7, 7), global_pool=True, pool_type="avg", name="pool1"
    )
    x = mx.sym.FullyConnected(mx.sym.Flatten(x), num_hidden=num_classes, name="fc1")
    return mx.sym.SoftmaxOutput(x, name="softmax")
