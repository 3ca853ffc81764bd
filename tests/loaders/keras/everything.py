"""A port for tests: an output for each layer and operation that the loader knows."""

import keras
import numpy as np
from keras import layers, ops


def everything() -> keras.Model:
    image = keras.Input((16, 15, 6), name="image")
    volume = keras.Input((6, 7, 8, 4), name="volume")
    steps = keras.Input((12, 8), name="steps")
    other = keras.Input((12, 8), name="other")
    ids = keras.Input((10,), dtype="int32", name="ids")
    vector = keras.Input((10,), name="vector")
    outputs = {
        **convolutions(image, volume, steps),
        **pools(image, volume, steps),
        **normalisations(image, steps, vector),
        **activations(image, vector),
        **arrangements(image, steps, vector),
        **merges(steps, other, vector),
        **sequences(steps, other, ids),
        **masks(steps, other, ids),
        **modules(image, steps, vector),
        **elementwise(steps, other),
        **reductions(steps),
        **moves(image, steps, other, ids),
        **products(steps, other),
    }
    return keras.Model([image, volume, steps, other, ids, vector], outputs, name="everything")


def convolutions(image, volume, steps):
    c1, c2, c3 = layers.Conv1D, layers.Conv2D, layers.Conv3D
    t1, t2, t3 = layers.Conv1DTranspose, layers.Conv2DTranspose, layers.Conv3DTranspose
    return {
        "conv": c2(8, 3, name="conv")(image),
        "conv_same": c2(8, (4, 3), strides=2, padding="same", activation="relu")(image),
        "conv_dilated": c2(8, 3, dilation_rate=(2, 3), padding="same", use_bias=False)(image),
        "conv_grouped": c2(8, 3, groups=2, activation="tanh")(image),
        "conv1": c1(5, 3, strides=2, padding="same")(steps),
        "conv1_causal": c1(5, 3, dilation_rate=2, padding="causal")(steps),
        "conv3": c3(5, 3, padding="same")(volume),
        "depthwise": layers.DepthwiseConv2D(3, padding="same", activation="relu6")(image),
        "depthwise_multiplied": layers.DepthwiseConv2D(3, strides=2, depth_multiplier=3)(image),
        "depthwise1": layers.DepthwiseConv1D(3, padding="same")(steps),
        "separable": layers.SeparableConv2D(7, 3, depth_multiplier=2, padding="same")(image),
        "separable1": layers.SeparableConv1D(7, 3, activation="relu")(steps),
        "transposed": t2(5, 3, strides=2, activation="relu")(image),
        "transposed_same": t2(5, (4, 5), strides=(2, 3), padding="same")(image),
        "transposed_small": t2(5, 2, strides=3, padding="same")(image),
        "transposed_output": t2(5, 3, strides=2, padding="same", output_padding=1)(image),
        "transposed1": t1(5, 3, strides=2)(steps),
        "transposed3": t3(5, 2, strides=2)(volume),
    }


def pools(image, volume, steps):
    l = layers  # noqa: E741
    return {
        "max": l.MaxPooling2D(2)(image),
        "max_same": l.MaxPooling2D(3, strides=2, padding="same")(image),
        "max1": l.MaxPooling1D(3, strides=2)(steps),
        "max3": l.MaxPooling3D(2)(volume),
        "mean": l.AveragePooling2D((3, 2), strides=2)(image),
        "mean_same": l.AveragePooling2D(3, strides=2, padding="same")(image),
        "mean1": l.AveragePooling1D(3, padding="same")(steps),
        "global_mean": l.GlobalAveragePooling2D()(image),
        "global_mean_kept": l.GlobalAveragePooling2D(keepdims=True)(image),
        "global_mean1": l.GlobalAveragePooling1D()(steps),
        "global_max": l.GlobalMaxPooling2D()(image),
        "global_max3": l.GlobalMaxPooling3D(keepdims=True)(volume),
        "adaptive": l.AdaptiveAveragePooling2D((4, 5))(image),
    }


def normalisations(image, steps, vector):
    norm, last = layers.BatchNormalization, layers.LayerNormalization
    return {
        "batch": norm(name="batch")(image),
        "batch_plain": norm(scale=False, center=False, epsilon=0.01)(steps),
        "batch_axis": norm(axis=1)(image),
        "batch_vector": norm()(vector),
        "layer": last(epsilon=1e-6)(steps),
        "layer_plain": last(center=False, scale=False)(steps),
        "layer_axes": last(axis=[1, 2])(steps),
        "group": layers.GroupNormalization(3)(image),
        "group_steps": layers.GroupNormalization(4, scale=False)(steps),
        "unit": layers.UnitNormalization()(steps),
        "rms": layers.RMSNormalization()(steps),
        "rescaled": layers.Rescaling(1 / 127.5, offset=-1.0)(image),
        "rescaled_channels": layers.Rescaling([1.0, 2, 3, 4, 5, 6], offset=1.0)(image),
        "normalised": layers.Normalization(mean=[1.0] * 10, variance=[4.0] * 10)(vector),
        "adapted": layers.Normalization()(vector),
    }


NAMES = (
    "relu",
    "relu6",
    "sigmoid",
    "softmax",
    "softplus",
    "softsign",
    "tanh",
    "selu",
    "elu",
    "gelu",
    "silu",
    "hard_sigmoid",
    "hard_silu",
    "leaky_relu",
    "exponential",
    "mish",
    "celu",
    "log_softmax",
    "log_sigmoid",
    "hard_tanh",
    "tanh_shrink",
    "soft_shrink",
    "hard_shrink",
    "linear",
)


def cubed(x):
    """No activation of Keras' own."""
    return ops.tanh(x) * x * x


def activations(image, vector):
    named = {f"act_{name}": layers.Activation(name)(vector) for name in NAMES}
    return named | {
        "act_own": layers.Dense(4, activation=cubed)(vector),
        "act_layer": layers.Dense(4, activation=layers.LeakyReLU(0.05))(vector),
        "act_gelu": keras.activations.gelu(vector, approximate=True),
        "relu": layers.ReLU()(image),
        "relu_max": layers.ReLU(max_value=1.0)(image),
        "relu_all": layers.ReLU(max_value=1.0, negative_slope=0.1, threshold=0.5)(image),
        "relu_threshold": layers.ReLU(threshold=0.5)(image),
        "relu_slope": layers.ReLU(negative_slope=0.1)(image),
        "leaky": layers.LeakyReLU()(image),
        "prelu": layers.PReLU()(vector),
        "prelu_shared": layers.PReLU(shared_axes=[1, 2])(image),
        "elu": layers.ELU(alpha=0.5)(vector),
        "softmax": layers.Softmax(axis=1)(image),
        "softmax_axes": layers.Softmax(axis=(1, 2))(image),
        "dropout": layers.Dropout(0.3)(vector),
        "spatial_dropout": layers.SpatialDropout2D(0.3)(image),
        "noise": layers.GaussianNoise(0.3)(vector),
        "flipped": layers.RandomFlip()(image),
    }


def arrangements(image, steps, vector):
    return {
        "padded": layers.ZeroPadding2D(((1, 2), (3, 4)))(image),
        "padded1": layers.ZeroPadding1D(2)(steps),
        "cropped": layers.Cropping2D(((1, 2), (3, 4)))(image),
        "cropped1": layers.Cropping1D((1, 2))(steps),
        "up": layers.UpSampling2D((2, 3))(image),
        "up_linear": layers.UpSampling2D(2, interpolation="bilinear")(image),
        "up1": layers.UpSampling1D(3)(steps),
        "resized": layers.Resizing(8, 20)(image),
        "resized_nearest": layers.Resizing(7, 11, interpolation="nearest")(image),
        "flat": layers.Flatten()(image),
        "flat_first": layers.Flatten(data_format="channels_first")(image),
        "reshaped": layers.Reshape((4, -1, 5))(image),
        "permuted": layers.Permute((3, 1, 2))(image),
        "repeated": layers.RepeatVector(3)(vector),
    }


def merges(steps, other, vector):
    both = [steps, other]
    return {
        "added": layers.Add()([*both, steps]),
        "added_unlike": layers.Add()([steps, layers.Dense(8)(vector)]),
        "subtracted": layers.Subtract()(both),
        "multiplied": layers.Multiply()(both),
        "averaged": layers.Average()(both),
        "largest": layers.Maximum()(both),
        "smallest": layers.Minimum()(both),
        "joined": layers.Concatenate(axis=1)(both),
        "dotted": layers.Dot(axes=(2, 2))(both),
        "dotted_unit": layers.Dot(axes=1, normalize=True)(both),
    }


def sequences(steps, other, ids):
    table = layers.Embedding(100, 8)
    state = layers.Dense(5)(steps[:, 0])
    lstm, states = layers.LSTM(6, return_sequences=True, return_state=True), {}
    states["lstm_steps"], states["lstm_h"], states["lstm_c"] = lstm(steps)
    both = layers.Bidirectional
    return states | {
        "dense_steps": layers.Dense(5, activation="relu")(steps),
        "einsum_dense": layers.EinsumDense("abc,cde->abde", (12, 2, 3), bias_axes="de")(steps),
        "einsum_other": layers.EinsumDense("abc,bd->adc", (5, 8))(steps),
        "embedded": table(ids),
        "lstm": layers.LSTM(5)(steps),
        "lstm_back": layers.LSTM(5, go_backwards=True, return_sequences=True)(steps),
        "gru": layers.GRU(5)(steps, initial_state=state),
        "gru_before": layers.GRU(5, reset_after=False, use_bias=False)(steps),
        "rnn": layers.SimpleRNN(5, activation="relu", return_sequences=True)(steps),
        "both": both(layers.LSTM(5, return_sequences=True))(steps),
        "both_last": both(layers.GRU(5), merge_mode="ave")(steps),
        "distributed": layers.TimeDistributed(layers.Dense(3, activation="relu"))(steps),
        "attended": layers.MultiHeadAttention(2, 4)(steps, other),
        "attended_causal": layers.MultiHeadAttention(2, 4, dropout=0.1)(
            steps, steps, use_causal_mask=True
        ),
        "attended_shared": layers.GroupQueryAttention(4, 4, 2)(steps, other),
        "attention": layers.Attention(use_scale=True)([steps, other]),
        "attention_added": layers.AdditiveAttention()([steps, other]),
    }


class Passing(layers.Layer):
    """Hands its mask on."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, x):
        return x * 0.5


def masks(steps, other, ids):
    kept = np.array([[[1.0]] * 8 + [[0.0]] * 4], dtype="float32")
    masked = layers.Masking(0.0)(steps * kept)
    table = layers.Embedding(100, 8, mask_zero=True)(ids)
    return {
        "masked": masked,
        "masked_lstm": layers.LSTM(5)(Passing()(masked)),
        "masked_gru": layers.Bidirectional(layers.GRU(5))(masked),
        "masked_mean": layers.GlobalAveragePooling1D()(layers.Dropout(0.1)(masked)),
        "masked_attended": layers.MultiHeadAttention(2, 4)(other, masked),
        "masked_attention": layers.Attention()([other, masked]),
        "masked_table": layers.GlobalAveragePooling1D()(table),
    }


class Scaled(layers.Layer):
    """A weight of its own, and a layer called twice."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = layers.Dense(8, name="dense")

    def build(self, shape):
        self.factor = self.add_weight((shape[-1],), name="factor")
        self.places = self.add_weight((1, *shape[1:]), name="places")

    def call(self, x):
        table = self.factor * 2.0
        return self.dense(self.dense(x + self.places)) * table


class Block(layers.Layer):
    """A layer inside of a layer, with a model in it."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.scaled = Scaled(name="scaled")
        self.row = keras.Sequential([layers.Dense(4), layers.BatchNormalization()], name="row")

    def call(self, x, training=None):
        return self.row(self.scaled(x), training=training)


def modules(image, steps, vector):
    inner = keras.Input((10,))
    hidden = layers.Dense(6, activation="relu", name="hidden")(inner)
    shared = keras.Model(inner, [hidden, layers.Dense(3)(hidden)], name="shared")
    first, second = shared(vector), shared(vector * 2.0)
    return {
        "nested": first[1],
        "nested_again": second[1],
        "nested_hidden": second[0],
        "own": Block(name="block")(steps),
        "lambda": layers.Lambda(lambda x: ops.relu(x) - 1.0, name="minus")(steps),
        "twice": Scaled(name="alone")(steps),
    }


def elementwise(steps, other):
    positive = ops.absolute(steps) + 0.5
    counts = ops.cast(steps * 9, "int32")
    return {
        "arithmetic": (steps + 2.0) * other / (positive - 3 * steps) ** 2,
        "powers": ops.sqrt(positive) + ops.rsqrt(positive) + ops.square(steps) + ops.exp(-positive),
        "logs": ops.log(positive) + ops.log1p(positive) + ops.log2(positive),
        "waves": ops.sin(steps) + ops.cos(other) + ops.tanh(steps) + ops.erf(other),
        "rounded": ops.floor(steps) + ops.ceil(other) + ops.round(steps) + ops.sign(steps),
        "floored": ops.floor_divide(steps, positive) + ops.mod(steps, positive),
        "floored_whole": ops.cast(counts // 3 + counts % 4, "float32"),
        "chosen": ops.where(ops.logical_and(steps > 0, other != 0.5), steps, -1.0),
        "compared": ops.cast(steps >= other, "float32") + ops.cast(steps < 0.1, "float32"),
        "clipped": ops.clip(steps, -0.5, 0.5) + ops.maximum(steps, other) + ops.minimum(steps, 0.0),
        "filled": ops.ones_like(steps) + ops.zeros_like(steps),
        "counted": ops.cast(ops.cast(steps * 3, "int32") + 2, "float32"),
    }


def reductions(steps):
    return {
        "mean_of": ops.mean(steps, axis=1),
        "sum_of": ops.sum(steps, axis=(1, 2), keepdims=True),
        "spread": ops.std(steps, axis=-1) + ops.var(steps, axis=-1),
        "extremes": ops.max(steps, axis=1) - ops.min(steps, axis=1),
        "products_of": ops.prod(steps, axis=2),
        "where_max": ops.cast(ops.argmax(steps, axis=-1), "float32"),
        "exponents": ops.logsumexp(steps, axis=-1),
        "running": ops.cumsum(steps, axis=1),
        "top": ops.top_k(steps, 3)[0],
        "length": ops.norm(steps, axis=-1),
        "unit_of": ops.normalize(steps, axis=-1),
        "truths": ops.cast(ops.any(steps > 1.0, axis=1), "float32"),
    }


def moves(image, steps, other, ids):
    first, second = ops.split(steps, 2, axis=-1)
    return {
        "turned": ops.transpose(image, (0, 3, 1, 2)),
        "swapped": ops.swapaxes(steps, 1, 2),
        "moved": ops.moveaxis(image, -1, 1),
        "halves": first * second,
        "thirds": ops.split(steps, [2, 5], axis=1)[1],
        "stacked": ops.stack([steps, other], axis=2),
        "appended": ops.concatenate([steps, other], axis=-1),
        "sliced": image[:, 1:-1:2, ::-1, 0],
        "one": steps[:, -1],
        "widened": ops.expand_dims(steps, 1)[..., None],
        "squeezed": ops.squeeze(ops.expand_dims(steps, 1), 1),
        "tiled": ops.tile(steps, (1, 2, 1)),
        "taken_along": ops.take_along_axis(steps, ids[:, :3, None] % 12, axis=1),
        "repeated_each": ops.repeat(steps, 2, axis=1),
        "flipped_steps": ops.flip(steps, axis=1),
        "rolled": ops.roll(image, (-3, 1), axis=(1, 2)),
        "padded_steps": ops.pad(steps, ((0, 0), (1, 2), (0, 3))),
        "reflected": ops.pad(steps, ((0, 0), (2, 2), (0, 0)), mode="reflect"),
        "spread_out": ops.broadcast_to(steps[:, None], (1, 3, 12, 8)),
        "taken": ops.take(steps, [3, 1], axis=1),
        "marked": ops.one_hot(ids, 100) * 2.0,
        "lower": ops.tril(steps) + ops.triu(steps, 1),
        "resized_op": ops.image.resize(image, (8, 8)),
        "deeper": ops.nn.max_pool(image, 2) + ops.average_pool(image, 2),
    }


def products(steps, other):
    return {
        "matmul": ops.matmul(steps, ops.transpose(other, (0, 2, 1))),
        "einsum": ops.einsum("bij,bkj->bik", steps, other),
        "einsum_two": ops.einsum("bij,bkj->ik", steps, other),
        "tensordot": ops.tensordot(steps, other, axes=[[2], [2]]),
        "batched": ops.dot_product_attention(*(ops.reshape(steps, (-1, 12, 2, 4)),) * 3),
    }
