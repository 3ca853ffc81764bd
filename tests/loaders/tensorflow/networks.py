"""Small TensorFlow functions, each a port of its own: the inputs of each are those it is `fed`."""

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def fed(**shapes):
    """Say the shapes of a function's inputs; the tests read them from the text."""
    return lambda function: function


def weights(name, *shape):
    return v1.get_variable(name, shape)


@fed(x=(2, 9, 8, 4))
def conv_same_strided(x):
    return tf.nn.conv2d(x, weights("w", 3, 4, 4, 6), [2, 3], "SAME")


@fed(x=(1, 9, 9, 4))
def conv_dilated(x):
    return tf.nn.conv2d(x, weights("w", 3, 3, 4, 6), 1, "SAME", dilations=2)


@fed(x=(1, 9, 9, 4))
def conv_explicit_pads(x):
    pads = [[0, 0], [1, 2], [0, 3], [0, 0]]
    return tf.nn.conv2d(x, weights("w", 3, 3, 4, 6), 2, pads)


@fed(x=(1, 9, 9, 4))
def conv_and_added_bias(x):
    y = tf.nn.conv2d(x, weights("w", 3, 3, 4, 6), 1, "VALID") + weights("b", 6)
    return tf.nn.relu(y)


@fed(x=(1, 9, 9, 4))
def bias_of_a_value_read_twice(x):
    y = tf.nn.conv2d(x, weights("w", 3, 3, 4, 6), 1, "VALID")
    return y * tf.nn.bias_add(y, weights("b", 6))


@fed(x=(1, 9, 8, 3))
def conv_depthwise(x):
    y = tf.nn.depthwise_conv2d(x, weights("w", 3, 3, 3, 1), [1, 2, 2, 1], "SAME")
    return tf.nn.depthwise_conv2d(y, weights("m", 3, 3, 3, 2), [1, 1, 1, 1], "VALID")


@fed(x=(1, 5, 6, 7, 2))
def conv_3d(x):
    y = tf.nn.conv3d(x, weights("w", 3, 2, 3, 2, 4), [1, 1, 2, 1, 1], "SAME")
    return tf.nn.max_pool3d(y, 2, 2, "SAME")


@fed(x=(1, 12, 3))
def conv_1d(x):
    return tf.nn.conv1d(x, weights("w", 3, 3, 5), 2, "SAME")


@fed(x=(1, 5, 4, 6))
def conv_transposed(x):
    y = tf.nn.conv2d_transpose(x, weights("w", 3, 3, 4, 6), [1, 10, 8, 4], 2, "SAME")
    y = tf.nn.conv2d_transpose(y, weights("v", 4, 4, 2, 4), [1, 22, 18, 2], 2, "VALID")
    return tf.nn.conv2d_transpose(y, weights("u", 2, 2, 3, 2), [1, 43, 36, 3], 2, "SAME")


@fed(x=(1, 3, 4, 5, 2))
def conv_transposed_3d(x):
    return tf.nn.conv3d_transpose(x, weights("w", 3, 3, 3, 4, 2), [1, 6, 8, 10, 4], 2, "SAME")


@fed(x=(1, 12, 12, 3))
def conv_dilated_through_batches(x):
    y = tf.space_to_batch(x, [2, 2], [[2, 2], [2, 2]])
    y = tf.nn.conv2d(y, weights("w", 3, 3, 3, 4), 1, "VALID")
    return tf.batch_to_space(y, [2, 2], [[0, 0], [0, 0]])


@fed(x=(4, 4, 6, 3))
def batch_to_space_cropped(x):
    return tf.batch_to_space(x, [2, 2], [[1, 2], [0, 1]])


@fed(x=(1, 9, 10, 3))
def pools(x):
    y = tf.nn.max_pool2d(x, 3, 2, "SAME")
    return tf.nn.avg_pool2d(tf.nn.avg_pool2d(y, 3, 2, "SAME"), 2, 1, "VALID")


@fed(x=(2, 6, 6, 4))
def batch_norm_fused(x):
    scale, offset = weights("gamma", 4), weights("beta", 4)
    mean = v1.get_variable("moving_mean", [4], trainable=False)
    variance = v1.get_variable("moving_variance", [4], trainable=False)
    return v1.nn.fused_batch_norm(
        x, scale, offset, mean, variance, epsilon=2e-3, is_training=False
    )[0]


@fed(x=(2, 6, 6, 4))
def batch_norm_in_training(x):
    return v1.nn.fused_batch_norm(x, weights("gamma", 4), weights("beta", 4), epsilon=2e-3)[0]


@fed(x=(2, 6, 6, 4))
def batch_norm_decomposed(x):
    mean = v1.get_variable("moving_mean", [4], trainable=False)
    variance = v1.get_variable("moving_variance", [4], trainable=False)
    y = tf.nn.conv2d(x, weights("w", 1, 1, 4, 4), 1, "SAME")
    return tf.nn.batch_normalization(
        y, mean, variance, weights("beta", 4), weights("gamma", 4), 1e-3
    )


@fed(x=(1, 5, 5, 12))
def response_norm(x):
    return tf.nn.lrn(x, 2, bias=2.0, alpha=1e-1, beta=0.75)


@fed(x=(2, 5))
def activations(x):
    y = tf.nn.elu(x) + tf.nn.selu(x) + tf.nn.relu6(x * 4.0) + tf.nn.leaky_relu(x, 0.3)
    y += tf.nn.softplus(x) + tf.nn.softsign(x) + tf.sigmoid(x) + tf.tanh(x) + tf.nn.relu(x)
    return tf.nn.softmax(y) * tf.nn.log_softmax(x) + tf.clip_by_value(x, -0.5, 0.4)


@fed(x=(2, 5), y=(2, 5))
def two_inputs(x, y):
    smooth = tf.maximum(x, y) - tf.minimum(x, 0.3) * tf.math.squared_difference(x, y)
    return smooth / (1.0 + tf.square(y)) + tf.pow(tf.abs(x), 1.5) + tf.math.divide_no_nan(x, y)


@fed(x=(2, 5))
def functions_of_one(x):
    p = tf.abs(x) + 0.1
    y = tf.exp(x) + tf.math.log(p) + tf.sqrt(p) + tf.math.rsqrt(p) - tf.math.erf(x)
    y += tf.floor(x) + tf.math.ceil(x) + tf.round(x * 3.0) + tf.sign(x) + tf.sin(x) + tf.cos(x)
    y += tf.math.log1p(p) + tf.math.expm1(x) + tf.math.erfc(x) + tf.math.reciprocal(p)
    return tf.add_n([y, x, tf.math.floormod(x, 0.7), tf.math.floordiv(x, 0.7)])


@fed(x=(2, 3, 4, 5))
def reductions(x):
    y = tf.reduce_mean(x, [1, 2], keepdims=True) + tf.reduce_sum(x, -1, keepdims=True)
    y += tf.reduce_max(x, [0, 3], keepdims=True) * tf.reduce_prod(x, 2, keepdims=True)
    return tf.reduce_min(y, 1) + tf.reduce_mean(x)


@fed(x=(5, 3, 4))
def truth_values(x):
    some = tf.reduce_any(x > 1.0, 1) | tf.reduce_all(x < 0.5, 1)
    other = tf.logical_and(some, tf.not_equal(x[:, 0], x[:, 1]))
    return tf.where(other, x[:, 0], 1.0) + tf.cast(tf.logical_not(some), tf.float32)


@fed(x=(2, 6, 4))
def cut_and_joined(x):
    a, b, c = tf.split(x, 3, 1)
    d, e = tf.split(x, [2, 4], 1)
    y = tf.concat([a, b, c, d, e[:, ::2]], 1)
    first, *rest = tf.unstack(y, axis=2)
    return tf.stack([first, *rest, tf.reverse(first, [1])], 1)


@fed(x=(3, 6, 7, 4))
def strided_slices(x):
    y = x[:, 1:-1, ::2] + x[:, :-2, ::-2]
    z = x[0, ..., tf.newaxis, 2]
    return y[1, tf.newaxis, 2, :, 1:3] + tf.reduce_sum(z) + x[-1, -2, -3, -1]


@fed(x=(3, 6, 4))
def slices_and_places(x):
    y = tf.slice(x, [0, 1, 2], [2, -1, 2])
    z = tf.gather(x, [2, 0, 2], axis=1)
    w = tf.gather_nd(x, [[0, 1], [2, 5]])
    return tf.reduce_sum(y) + tf.reduce_sum(z, 1) + tf.reduce_sum(w)


@fed(x=(3, 6))
def found_along_an_axis(x):
    best, places = tf.nn.top_k(x, 3)
    hot = tf.one_hot(tf.argmax(x, 1), 6, on_value=2.0, off_value=-1.0)
    least = tf.cast(tf.argmin(x, 1, output_type=tf.int32), tf.float32)
    return hot * tf.reduce_sum(best) + tf.cast(places[:, :1], tf.float32) + least[:, None]


@fed(x=(2, 3, 4))
def shapes_computed(x):
    shape = tf.shape(x)
    y = tf.reshape(x, [shape[0], shape[1] * shape[2]])
    y = tf.tile(y, [1, 2]) + tf.fill([shape[0], 24], 0.5) + tf.ones_like(tf.concat([y, y], 1))
    return tf.expand_dims(tf.transpose(y), 0) + tf.cast(tf.range(shape[0]), tf.float32)


@fed(x=(2, 3, 1, 4))
def shapes_changed(x):
    y = tf.squeeze(x, [2])
    y = tf.broadcast_to(y[:1], [2, 3, 4]) + tf.linalg.matrix_transpose(tf.transpose(y, [0, 2, 1]))
    return tf.cumsum(y, 1) + tf.cumsum(y, 2, exclusive=True, reverse=True)


@fed(x=(1, 4, 5, 3))
def paddings(x):
    y = tf.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]], constant_values=0.7)
    return tf.pad(tf.pad(y, [[0, 0], [1, 1], [2, 1], [0, 0]], "REFLECT"), [[0, 1]] * 4)


@fed(x=(1, 4, 5, 3))
def resized(x):
    y = tf.image.resize(x, [8, 11]) + v1.image.resize_bilinear(x, [8, 11])
    y += v1.image.resize_bilinear(x, [8, 11], align_corners=True)
    return y + v1.image.resize_nearest_neighbor(x, [8, 11])


@fed(x=(1, 4, 5, 3))
def resized_to_nearest(x):
    x = x + tf.image.resize(x[:, :2], tf.constant([4, 6, 7, 8])[0:3:2] - [0, 2], "nearest")
    y = tf.image.resize(x, [8, 10], "nearest")
    return y + v1.image.resize_nearest_neighbor(x, [8, 10], align_corners=True)


@fed(x=(2, 5, 6, 4))
def normalised_without_a_scale(x):
    ones, zeros = tf.ones(4), tf.zeros(4)
    x = tf.nn.conv2d(x, weights("w", 3, 3, 4, 4), 1, "SAME")
    return v1.nn.fused_batch_norm(
        x, ones, weights("beta", 4), weights("mean", 4), tf.abs(weights("var", 4)) + zeros,
        is_training=False,
    )[0]  # fmt: skip


@fed(x=(2, 6))
def of_a_gradient_of_its_own(x):
    @tf.custom_gradient
    def swish(x):
        return x * tf.sigmoid(x), lambda grad: grad

    return swish(tf.matmul(x, weights("w", 6, 3)))


@fed(x=(1, 4, 6, 8))
def space_and_depth(x):
    return tf.nn.space_to_depth(tf.nn.depth_to_space(x, 2), 4)


@fed(x=(3, 5), y=(2, 4, 5))
def products(x, y):
    z = tf.matmul(x, weights("w", 6, 5), transpose_b=True)
    z = tf.matmul(tf.nn.bias_add(z, weights("b", 6)), weights("v", 6, 5))
    many = tf.matmul(y, y, transpose_b=True)
    return tf.einsum("bij,bjk->ik", many, y)[:3] + z


@fed(x=(2, 4, 6))
def dense_of_rank_three(x):
    y = tf.tensordot(x, weights("w", 6, 5), [[2], [0]]) + weights("b", 5)
    mean, variance = tf.nn.moments(y, [2], keepdims=True)
    return (y - mean) * tf.math.rsqrt(variance + 1e-6) * weights("gamma", 5) + weights("beta", 5)


@fed(x=(2, 6))
def sure_of_itself(x):
    scores = tf.nn.bias_add(tf.matmul(1e4 * x, weights("w", 6, 9)), weights("b", 9))
    return tf.nn.softmax(scores)


@fed(x=(2, 6))
def dropped(x):
    return tf.nn.dropout(tf.matmul(x, weights("w", 6, 6)), rate=0.3)


@fed(x=(2, 6))
def branches(x):
    positive = tf.reduce_sum(x) > -100.0
    kept = tf.constant([0.5] * 6)
    return tf.cond(positive, lambda: x * kept, lambda: tf.tanh(x))


made_before = tf.constant(np.arange(6, dtype=np.float32))


@fed(x=(2, 6))
def constant_made_before(x):
    return x * made_before


@fed(x=(2, 6))
def loops(x):
    kept = tf.constant(0.9)
    _, y = tf.while_loop(
        lambda i, _: i < 5, lambda i, y: (i + 1, y * kept + tf.tanh(x)), (tf.constant(0), x)
    )
    return y


@tf.function
def inner(x):
    return tf.nn.relu(x) * 2.0


@fed(x=(2, 6))
def calls(x):
    return inner(inner(x - 0.5) + 1.0)


class Net(tf.Module):
    def __init__(self):
        super().__init__(name="net")
        self.kernel = tf.Variable(tf.zeros([6, 4]), name="kernel")
        self.still = tf.Variable(tf.zeros([4]), name="still", trainable=False)

    @tf.function
    def __call__(self, x):
        return {"scores": tf.matmul(x, self.kernel) + self.still, "seen": inner(x)}


@fed(x=(2, 6))
def module():
    return Net()
