"""A symbol of many heads: each operator that the loader knows, with various settings."""

import mxnet as mx

S = mx.sym
INPUTS = {"data": (2, 4, 9, 7), "row": (2, 5), "steps": (3, 2, 4), "picks": (2, 3)}


def convolutions(x):
    yield S.Convolution(x, kernel=(3, 2), num_filter=6, stride=(2, 1), pad=(1, 0), num_group=2)
    yield S.Convolution(x, kernel=(3, 3), num_filter=5, dilate=(2, 2), no_bias=True)
    yield S.Convolution(S.Reshape(x, shape=(0, 0, -1)), kernel=(3,), num_filter=5)
    yield S.Convolution(S.expand_dims(x, axis=2), kernel=(1, 3, 3), num_filter=2)
    yield S.Deconvolution(x, kernel=(3, 3), num_filter=6, stride=(2, 2), adj=(1, 1), num_group=2)
    yield S.Deconvolution(x, kernel=(4, 4), num_filter=3, stride=(2, 2), pad=(1, 1))
    yield S.Deconvolution(x, kernel=(3, 3), num_filter=3, pad=(1, 1), no_bias=False)
    yield S.UpSampling(x, scale=2, sample_type="nearest")
    yield S.UpSampling(x, x, scale=3, sample_type="nearest", num_args=2)
    yield S.UpSampling(x, scale=2, sample_type="bilinear", num_filter=4)
    yield S.contrib.BilinearResize2D(x, height=5, width=11)
    yield S.contrib.AdaptiveAvgPooling2D(x, output_size=(3, 1))
    yield S.contrib.AdaptiveAvgPooling2D(x)


def pools(x):
    for convention in ("valid", "full"):
        for pad in ((0, 0), (1, 1)):
            settings = {"kernel": (3, 3), "stride": (3, 3 if any(pad) else 2), "pad": pad}
            settings["pooling_convention"] = convention
            yield S.Pooling(x, pool_type="max", **settings)
            yield S.Pooling(x, pool_type="avg", **settings)
            yield S.Pooling(x, pool_type="avg", count_include_pad=False, **settings)
    yield S.Pooling(x, kernel=(3, 3), pool_type="sum", stride=(2, 2))
    yield S.Pooling(S.abs(x), kernel=(3, 3), pool_type="lp", p_value=2, stride=(2, 2))
    yield S.Pooling(x, kernel=(2, 2))
    for kind in ("max", "avg", "sum"):
        yield S.Pooling(x, global_pool=True, kernel=(1, 1), pool_type=kind)


def normalizations(x, row):
    yield S.BatchNorm(x)
    yield S.BatchNorm(x, fix_gamma=False, eps=1e-2)
    yield S.BatchNorm(x, axis=3, fix_gamma=False)
    yield S.BatchNorm(row, fix_gamma=False)
    yield S.InstanceNorm(x)
    yield S.LayerNorm(x)
    yield S.LayerNorm(x, axis=1, eps=1e-2)
    yield S.GroupNorm(x, num_groups=2)
    yield S.LRN(x, nsize=3, alpha=0.1, knorm=1)
    yield S.LRN(x, nsize=1)
    for mode in ("instance", "channel", "spatial"):
        yield S.L2Normalization(x, mode=mode)


def activations(x, row):
    for kind in ("relu", "sigmoid", "tanh", "softrelu", "softsign"):
        yield S.Activation(x, act_type=kind)
    for kind in ("leaky", "prelu", "elu", "selu", "gelu"):
        yield S.LeakyReLU(x, act_type=kind)
    yield S.LeakyReLU(row, act_type="prelu")
    yield S.hard_sigmoid(x)
    yield S.softmax(x, axis=1, temperature=2.0)
    yield S.log_softmax(x)
    yield S.softmin(x)
    for mode in ("instance", "channel"):
        yield S.SoftmaxActivation(x, mode=mode)
    # With four dimensions oneDNN takes the last axis, against MXNet's own code and word.
    yield S.SoftmaxOutput(S.Reshape(x, shape=(0, 0, -1)))
    yield S.SoftmaxOutput(x, multi_output=True)
    yield S.SoftmaxOutput(x, preserve_shape=True)
    yield S.LinearRegressionOutput(row)
    yield S.LogisticRegressionOutput(row)
    yield S.MAERegressionOutput(row)
    yield S.Dropout(x)
    yield S.BlockGrad(x)
    yield S.MakeLoss(S.square(x))


def dense(x, row, steps):
    yield S.FullyConnected(x, num_hidden=3)
    yield S.FullyConnected(row, num_hidden=3, no_bias=True)
    yield S.FullyConnected(x, num_hidden=3, flatten=False)
    yield S.FullyConnected(row, num_hidden=3, flatten=False)
    yield S.dot(row, S.transpose(row))
    yield S.dot(row, row, transpose_b=True)
    yield S.dot(x, S.slice_axis(S.Reshape(x, shape=(-3, -2)), axis=0, begin=0, end=7))
    yield S.batch_dot(steps, steps, transpose_b=True)
    yield S.batch_dot(steps, steps, transpose_a=True)
    yield S.linalg_gemm2(steps, steps, transpose_b=True, alpha=0.5)


def arithmetic(x):
    row = S.slice_axis(x, axis=2, begin=0, end=1)
    positive = S.abs(x) + 0.5
    for name in (
        "exp",
        "abs",
        "negative",
        "ceil",
        "floor",
        "rint",
        "round",
        "sign",
        "sin",
        "cos",
        "tan",
        "arctan",
        "sinh",
        "arcsinh",
        "erf",
        "square",
        "fix",
        "trunc",
        "tanh",
        "relu",
        "sigmoid",
        "softsign",
        "expm1",
    ):
        yield getattr(S, name)(x)
    for name in ("log", "sqrt", "rsqrt", "reciprocal", "log2", "log10", "log1p"):
        yield getattr(S, name)(positive)
    for name in (
        "add",
        "sub",
        "mul",
        "maximum",
        "minimum",
        "equal",
        "not_equal",
        "greater",
        "greater_equal",
        "lesser",
        "lesser_equal",
        "logical_and",
        "logical_or",
    ):
        yield getattr(S, f"broadcast_{name}")(x, row)
    for name in ("div", "power", "mod"):
        yield getattr(S, f"broadcast_{name}")(positive, S.abs(row) + 1)
    yield x + x
    yield x - 2
    yield 2 - x
    yield x / 3
    yield 3 / positive
    yield positive**1.5
    yield 1.5**x
    yield x % 0.7
    yield x > 0.3
    yield S.logical_not(S.relu(x))
    yield S.rint(x) == 0
    yield S.maximum(x, 0.2)
    yield S.add_n(x, x, x)
    yield S.clip(x, a_min=-0.5, a_max=0.25)
    yield S.where(x > 0, x, S.square(x))
    yield S.contrib.div_sqrt_dim(x)
    yield S.broadcast_add(S.zeros((1, 4, 1, 1)), x)
    yield S.broadcast_mul(S.ones((1, 4, 1, 1)) * 3, x)
    yield S.broadcast_add(S.Reshape(S.arange(7), shape=(1, 1, 1, 7)), x)
    yield S.ones_like(x) - S.zeros_like(x) + x
    yield S.Cast(S.Cast(x, dtype="int32"), dtype="float32")
    yield S.Cast(x, dtype="float64")


def arrangements(x):
    for shape in ((0, -1), (0, 0, -3), (-2,), (0, -4, 2, -1, 0, 0), (-3, -3), (0, 63, 4), (-1,)):
        yield S.Reshape(x, shape=shape)
    yield S.Reshape(x, shape=(-1, 0), reverse=True)
    yield S.Reshape(x, shape=(2, 0, -2))
    yield S.Flatten(x)
    yield S.transpose(x)
    yield S.transpose(x, axes=(0, 2, 3, 1))
    yield S.SwapAxis(x, dim1=1, dim2=3)
    yield S.squeeze(S.expand_dims(x, axis=1))
    yield S.squeeze(S.expand_dims(x, axis=-1), axis=-1)
    yield S.Concat(x, S.relu(x), dim=1)
    yield S.Concat(x, x, dim=-1)
    yield S.stack(x, x, axis=2)
    yield S.tile(x, reps=(2, 1, 3))
    yield S.repeat(x, repeats=2, axis=1)
    yield S.repeat(x, repeats=2)
    yield S.broadcast_to(S.slice_axis(x, axis=1, begin=1, end=2), shape=(0, 5, 0, 0))
    yield S.broadcast_axis(S.slice_axis(x, axis=1, begin=1, end=2), axis=1, size=3)
    for mode in ("constant", "edge", "reflect"):
        yield S.Pad(x, mode=mode, pad_width=(0, 0, 0, 0, 1, 2, 3, 1), constant_value=0.5)
    yield S.depth_to_space(x, block_size=2)
    yield S.space_to_depth(
        S.slice_axis(S.slice_axis(x, axis=2, begin=0, end=8), axis=3, begin=1, end=None),
        block_size=2,
    )
    yield S.reshape_like(x, S.Flatten(x))


def cuts(x):
    yield S.slice(x, begin=(0, 1), end=(None, 3))
    yield S.slice(x, begin=(None, None, -1), end=(None, None, None), step=(None, None, -2))
    yield S.slice_axis(x, axis=-1, begin=-3, end=None)
    yield S.slice_like(x, S.slice_axis(x, axis=2, begin=0, end=4), axes=(2,))
    yield from S.SliceChannel(x, num_outputs=2)
    yield S.SliceChannel(x, num_outputs=9, axis=2, squeeze_axis=True)[4]
    yield S.split_v2(x, (1, 3), axis=1)[1]
    yield S.Crop(x, h_w=(4, 3), offset=(2, 1), num_args=1)
    yield S.Crop(x, S.slice_axis(x, axis=2, begin=0, end=4), center_crop=True, num_args=2)
    yield S.reverse(x, axis=(1, 3))
    yield S.SequenceLast(x)


def reductions(x):
    yield S.prod(x, axis=3)
    for name in ("sum", "mean", "max", "min"):
        yield getattr(S, name)(x)
        yield getattr(S, name)(x, axis=(1, 2), keepdims=True)
    yield S.sum(x, axis=1, exclude=True)
    yield S.norm(x, axis=1)
    yield S.norm(x, ord=1, axis=(2, 3), keepdims=True)
    yield S.argmax(x, axis=1)
    yield S.argmin(x, axis=2, keepdims=True)


def picks(x, tokens):
    yield S.Embedding(tokens, input_dim=50, output_dim=6)
    yield S.one_hot(tokens, depth=50)
    yield S.take(S.Reshape(x, shape=(-1, 7)), tokens)
    yield S.pick(S.Reshape(x, shape=(2, 3, -1)), tokens)


def recurrences(steps):
    for mode in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        for layers, both in ((1, False), (2, True)):
            states = {}
            for name in ("state", "state_cell") if mode == "lstm" else ("state",):
                states[name] = S.zeros((layers * (1 + both), 2, 5))
            yield S.RNN(
                steps,
                S.Variable(f"{mode}{layers}_parameters"),
                mode=mode,
                state_size=5,
                num_layers=layers,
                bidirectional=both,
                **states,
            )
    outputs = S.RNN(steps, mode="lstm", state_size=3, num_layers=1, state_outputs=True, name="lstm")
    yield from outputs


def regions(x):
    corners = [S.full((1, 1), value) for value in (1, 1, 2, 6, 8)]
    yield S.ROIPooling(x, S.Concat(*corners, dim=1), pooled_size=(2, 3), spatial_scale=0.5)


def get_symbol():
    x, row, steps, tokens = (S.Variable(name) for name in INPUTS)
    heads = [
        *convolutions(x),
        *pools(x),
        *normalizations(x, row),
        *activations(x, row),
        *dense(x, row, steps),
        *arithmetic(x),
        *arrangements(x),
        *cuts(x),
        *reductions(x),
        *picks(x, tokens),
        *recurrences(steps),
        *regions(x),
    ]
    return S.Group(heads)
