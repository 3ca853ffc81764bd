"""Inception-BN: each convolution normalised, two 3 x 3 in place of a 5 x 5, some strides inside."""

import mxnet as mx

INPUTS = {"data": (1, 3, 224, 224)}
EPSILON = 1e-3


def conv(x, name, filters, kernel=1, stride=1, pad=0):
    x = mx.sym.Convolution(
        x,
        num_filter=filters,
        kernel=(kernel, kernel),
        stride=(stride, stride),
        pad=(pad, pad),
        name=f"conv_{name}",
    )
    x = mx.sym.BatchNorm(x, eps=EPSILON, fix_gamma=False, name=f"bn_{name}")
    return mx.sym.Activation(x, act_type="relu", name=f"relu_{name}")


def pool(x, name, kind, stride, pad):
    return mx.sym.Pooling(
        x,
        kernel=(3, 3),
        stride=(stride, stride),
        pad=(pad, pad),
        pool_type=kind,
        pooling_convention="full",
        name=name,
    )


def inception(x, name, one, reduced, three, reduced_double, double, kind, projected):
    """Four branches of the same size as their input."""
    wide = conv(x, f"{name}_double_3x3_reduce", reduced_double)
    wide = conv(wide, f"{name}_double_3x3_0", double, 3, pad=1)
    branches = [
        conv(x, f"{name}_1x1", one),
        conv(conv(x, f"{name}_3x3_reduce", reduced), f"{name}_3x3", three, 3, pad=1),
        conv(wide, f"{name}_double_3x3_1", double, 3, pad=1),
        conv(pool(x, f"{kind}_pool_{name}_pool", kind, 1, 1), f"{name}_proj", projected),
    ]
    return mx.sym.Concat(*branches, dim=1, name=f"ch_concat_{name}_chconcat")


def shrinking(x, name, reduced, three, reduced_double, double):
    """Three branches that halve the image; the pool passes its channels on."""
    wide = conv(x, f"{name}_double_3x3_reduce", reduced_double)
    wide = conv(wide, f"{name}_double_3x3_0", double, 3, pad=1)
    branches = [
        conv(conv(x, f"{name}_3x3_reduce", reduced), f"{name}_3x3", three, 3, stride=2, pad=1),
        conv(wide, f"{name}_double_3x3_1", double, 3, stride=2, pad=1),
        pool(x, f"max_pool_{name}_pool", "max", 2, 0),
    ]
    return mx.sym.Concat(*branches, dim=1, name=f"ch_concat_{name}_chconcat")


def get_symbol(num_classes=1000):
    x = mx.sym.Variable("data")
    x = pool(conv(x, "1", 64, 7, stride=2, pad=3), "pool_1", "max", 2, 0)
    x = conv(conv(x, "2_red", 64), "2", 192, 3, pad=1)
    x = pool(x, "pool_2", "max", 2, 0)
    x = inception(x, "3a", 64, 64, 64, 64, 96, "avg", 32)
    x = inception(x, "3b", 64, 64, 96, 64, 96, "avg", 64)
    x = shrinking(x, "3c", 128, 160, 64, 96)
    x = inception(x, "4a", 224, 64, 96, 96, 128, "avg", 128)
    x = inception(x, "4b", 192, 96, 128, 96, 128, "avg", 128)
    x = inception(x, "4c", 160, 128, 160, 128, 160, "avg", 128)
    x = inception(x, "4d", 96, 128, 192, 160, 192, "avg", 128)
    x = shrinking(x, "4e", 128, 192, 192, 256)
    x = inception(x, "5a", 352, 192, 320, 160, 224, "avg", 128)
    x = inception(x, "5b", 352, 192, 320, 192, 224, "max", 128)
    x = mx.sym.Pooling(x, kernel=(7, 7), pool_type="avg", name="global_pool")
    x = mx.sym.FullyConnected(mx.sym.Flatten(x), num_hidden=num_classes, name="fc1")
    return mx.sym.SoftmaxOutput(x, name="softmax")
