"""AlexNet with tf.nn alone; `tf.nn.lrn` does not divide alpha by the window's size."""

import tensorflow as tf

INPUTS = {"image": (1, 227, 227, 3)}


def variables(shape):
    """Weights and biases of the current scope."""
    weights = tf.compat.v1.get_variable("weights", shape)
    return weights, tf.compat.v1.get_variable("biases", shape[-1:])


def grouped(x, weights, groups):
    """Convolutions beside each other, each of its share of the channels, as on two GPUs once."""
    pieces = zip(tf.split(x, groups, 3), tf.split(weights, groups, 3), strict=True)
    return tf.concat([tf.nn.conv2d(piece, part, 1, "SAME") for piece, part in pieces], 3)


def convolution(x, kernel, channels, name, groups=1, **settings):
    with tf.compat.v1.variable_scope(name):
        weights, biases = variables([kernel, kernel, x.shape[-1] // groups, channels])
        settings = {"strides": 1, "padding": "SAME"} | settings
        x = grouped(x, weights, groups) if groups > 1 else tf.nn.conv2d(x, weights, **settings)
        return tf.nn.relu(tf.nn.bias_add(x, biases))


def norm(x, name):
    return tf.nn.lrn(x, depth_radius=2, bias=1.0, alpha=2e-5, beta=0.75, name=name)


def pool(x, name):
    return tf.nn.max_pool2d(x, ksize=3, strides=2, padding="VALID", name=name)


def dense(x, features, name):
    with tf.compat.v1.variable_scope(name):
        weights, biases = variables([x.shape[-1], features])
        return tf.nn.bias_add(tf.matmul(x, weights), biases)


def model(image):
    x = convolution(image, 11, 96, "conv1", strides=4, padding="VALID")
    x = pool(norm(x, "norm1"), "pool1")
    x = convolution(x, 5, 256, "conv2", groups=2)
    x = pool(norm(x, "norm2"), "pool2")
    x = convolution(x, 3, 384, "conv3")
    x = convolution(x, 3, 384, "conv4", groups=2)
    x = pool(convolution(x, 3, 256, "conv5", groups=2), "pool5")
    x = tf.reshape(x, [-1, x.shape[1] * x.shape[2] * x.shape[3]], name="flatten")
    for name in ("fc6", "fc7"):
        x = tf.nn.dropout(tf.nn.relu(dense(x, 4096, name)), rate=0.5)
    return tf.nn.softmax(dense(x, 1000, "fc8"), name="prob")
