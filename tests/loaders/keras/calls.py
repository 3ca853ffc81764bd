"""A port for tests: functions of TensorFlow called on the tensors of a Keras model."""

import keras
import tensorflow as tf
from keras import layers


def calls() -> keras.Model:
    image = keras.Input((8, 8, 12), name="image")
    steps = keras.Input((6, 8), name="steps")
    ids = keras.Input((6,), dtype="int32", name="ids")
    outputs = {
        **elementwise(steps),
        **reduced(image, steps),
        **arranged(image, steps, ids),
        **networks(image, steps),
    }
    return keras.Model([image, steps, ids], outputs, name="calls")


def elementwise(x):
    positive = tf.abs(x) + 0.5
    return {
        "powers": tf.sqrt(positive) + tf.math.rsqrt(positive) + tf.pow(positive, 2.0),
        "waves": tf.math.scalar_mul(0.5, x)
        + tf.sin(x)
        + tf.cos(x)
        + tf.exp(-positive)
        + tf.math.log(positive),
        "compared": tf.where(tf.greater(x, 0.1), x, tf.zeros_like(x)) + tf.minimum(x, 0.2),
        "clipped": tf.clip_by_value(x, -0.5, 0.5) - tf.math.squared_difference(x, positive),
        "divided": tf.math.divide_no_nan(x, positive)
        + tf.cast(tf.cast(x * 3, tf.int32), "float32"),
        "floored": tf.math.floordiv(x, positive) + tf.add_n([x, positive, x]),
    }


def reduced(image, x):
    mean, variance = tf.nn.moments(image, [1, 2], keepdims=True)
    return {
        "squeezed": image * tf.sigmoid(tf.reduce_mean(image, [1, 2], keepdims=True)),
        "extremes": tf.reduce_max(x, 1) - tf.reduce_min(x, axis=1) + tf.reduce_prod(x, 1),
        "spread": tf.math.reduce_std(x, -1)
        + tf.reduce_sum(x, axis=-1)
        + tf.reduce_logsumexp(x, -1),
        "normalised": tf.nn.batch_normalization(image, mean, variance, None, None, 1e-3),
        "listed": tf.reduce_sum([x, x * 2], axis=0),
        "unit": tf.math.l2_normalize(x, axis=-1),
        "place": tf.cast(tf.argmax(x, axis=-1), tf.float32),
    }


def arranged(image, x, ids):
    sizes = tf.shape(image)
    rows = tf.reshape(image, [sizes[0], sizes[1] * sizes[2], 12])
    one, two, three = tf.split(rows, [4, 4, -1], axis=-1)
    first, *_, last = tf.unstack(x, axis=1)
    return {
        "rows": tf.concat([three, tf.transpose(one, perm=[0, 1, 2])], axis=-1) + rows[..., :8],
        "stacked": tf.stack([first, last], axis=1),
        "padded": tf.pad(image, [[0, 0], [1, 2], [0, 1], [0, 0]])[:, 1:],
        "repeated": tf.tile(tf.expand_dims(first, 1), [1, 3, 1])
        + tf.repeat(last[:, None], 3, axis=1),
        "chosen": tf.gather(tf.squeeze(x[:, :, :1], -1), [3, 1], axis=1),
        "along": tf.gather(first, ids % 8, batch_dims=1),
        "reversed": tf.reverse(x, [1]) + tf.roll(x, shift=2, axis=1),
        "rows_of": tf.one_hot(ids, 5) @ tf.ones((5, 2)),
        "cut": tf.slice(two, [0, 1, 0], [-1, 3, -1]),
    }


def networks(image, x):
    scores = tf.matmul(x, x, transpose_b=True)
    blocks = tf.nn.space_to_depth(image, 2)
    return {
        "attended": tf.einsum("bij,bjd->bid", tf.nn.softmax(scores * 0.3, axis=-1), x),
        "activated": tf.nn.relu(x) + tf.nn.gelu(x) + tf.nn.leaky_relu(x) + tf.nn.silu(x),
        "pooled": tf.nn.max_pool2d(image, 3, 2, "SAME") + tf.nn.avg_pool2d(image, 2, 2, "VALID"),
        "blocks": tf.nn.depth_to_space(blocks, 2) + tf.image.resize(image[:, ::2, ::2], (8, 8)),
        "filtered": tf.nn.conv2d(image, tf.ones((3, 3, 12, 2)) * 0.1, 2, "SAME"),
        "patches": tf.image.extract_patches(
            image, [1, 2, 4, 1], [1, 2, 4, 1], [1, 1, 1, 1], "VALID"
        ),
        "joined": tf.tensordot(x, tf.ones((8, 2)), axes=(-1, 0))
        + tf.tensordot(x, tf.ones((8, 2)), 1),
        "dense": layers.Dense(3)(tf.nn.log_softmax(scores)),
    }
