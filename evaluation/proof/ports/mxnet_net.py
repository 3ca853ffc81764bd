"""A symbol of what the catalog's have little of."""

import mxnet as mx

S = mx.sym


def get_symbol() -> mx.sym.Symbol:
    x = S.Convolution(S.Variable("data"), num_filter=16, kernel=(3, 3), pad=(1, 1), name="first")
    x = S.BatchNorm(x, eps=1e-3, fix_gamma=False, name="norm")
    x = S.LeakyReLU(x, act_type="leaky", slope=0.1)
    x = S.InstanceNorm(x, eps=1e-4, name="instance")
    x = S.LRN(S.LeakyReLU(x, act_type="elu", slope=0.7), nsize=5, alpha=3e-4, knorm=2)
    x = S.concat(
        S.Pooling(x, kernel=(3, 3), stride=(2, 2), pool_type="max", pooling_convention="full"),
        S.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="avg"),
    )
    x = S.Deconvolution(x, num_filter=12, kernel=(4, 4), stride=(2, 2), pad=(1, 1), name="up")
    x = S.L2Normalization(x, mode="channel", eps=1e-8)
    x = S.clip(4 * S.LeakyReLU(x, act_type="prelu", name="slope"), 0, 1.5)
    x = S.Convolution(x, num_filter=12, kernel=(3, 3), dilate=(2, 2), pad=(2, 2), name="wide")
    x = S.LayerNorm(S.transpose(x, (0, 2, 3, 1)), eps=1e-6, name="layer")
    x = S.LeakyReLU(S.Pooling(x, global_pool=True, kernel=(1, 1), pool_type="avg"), act_type="gelu")
    x = S.FullyConnected(x, num_hidden=20, name="last")
    return S.softmax(S.broadcast_add(S.expand_dims(x, 2), S.ones((1, 20, 4)) * 0.5), axis=1)
