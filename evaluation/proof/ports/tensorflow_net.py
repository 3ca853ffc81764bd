"""A graph of TensorFlow's own functions, of what the catalog's have little of."""

import tensorflow as tf

tf1 = tf.compat.v1


INPUTS = {"x": (1, 20, 20, 6)}


def model(x):
    x = tf.nn.conv2d(x, tf1.get_variable("w1", (3, 3, 6, 16)), 1, "SAME")
    held = [tf1.get_variable(f"norm/{name}", (16,)) for name in ("gamma", "beta")]
    seen = [tf1.get_variable(f"norm/moving_{name}", (16,), trainable=False)
            for name in ("mean", "variance")]  # fmt: skip
    x = tf1.nn.fused_batch_norm(x, *held, *seen, epsilon=1e-3, is_training=False)[0]
    x = tf.nn.leaky_relu(x, 0.1)
    x = tf.nn.local_response_normalization(x, 2, 2.0, 3e-4, 0.75)
    both = [tf1.nn.max_pool(x, 3, 2, "SAME"), tf1.nn.avg_pool(x, 3, 2, "SAME")]
    x = tf.concat(both, 3)
    x = tf.nn.bias_add(tf.nn.atrous_conv2d(x, tf1.get_variable("w2", (3, 3, 32, 12)), 2, "SAME"),
                       tf1.get_variable("b2", (12,)))  # fmt: skip
    x = tf.nn.elu(tf.nn.l2_normalize(x, 3, 1e-6))
    x = tf1.image.resize_bilinear(tf.nn.relu6(20 * x), (16, 16), align_corners=True)
    mean, variance = tf.nn.moments(x, [1, 2], keepdims=True)
    x = tf.nn.batch_normalization(x, mean, variance, None, None, 1e-5)
    x = tf.nn.gelu(x)
    x = tf.reshape(tf.reduce_mean(x, 1), (16, 12))
    x = tf.matmul(x, tf1.get_variable("w3", (12, 12))) + tf1.get_variable("b3", (12,))
    return tf.nn.softmax(x, 1, name="prob")
