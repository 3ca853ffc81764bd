"""A simple CNN for CIFAR-10 with tf.nn alone: variable scopes in place of layers.

It is written as it is trained, with its dropouts.
"""

import tensorflow as tf

INPUTS = {"image": (1, 32, 32, 3)}


def convolution(x, channels, padding, name):
    with tf.compat.v1.variable_scope(name):
        shape = [3, 3, x.shape[-1], channels]
        kernel = tf.compat.v1.get_variable("kernel", shape)
        bias = tf.compat.v1.get_variable("bias", [channels])
        x = tf.nn.conv2d(x, kernel, strides=1, padding=padding)
        return tf.nn.relu(tf.nn.bias_add(x, bias))


def dense(x, features, name):
    with tf.compat.v1.variable_scope(name):
        kernel = tf.compat.v1.get_variable("kernel", [x.shape[-1], features])
        bias = tf.compat.v1.get_variable("bias", [features])
        return tf.nn.bias_add(tf.matmul(x, kernel), bias)


def model(image):
    x = convolution(image, 32, "SAME", "conv1")
    x = convolution(x, 32, "VALID", "conv2")
    x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID", name="pool1")
    x = tf.nn.dropout(x, rate=0.25, name="dropout1")
    x = convolution(x, 64, "SAME", "conv3")
    x = convolution(x, 64, "VALID", "conv4")
    x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID", name="pool2")
    x = tf.nn.dropout(x, rate=0.25, name="dropout2")
    x = tf.reshape(x, [-1, x.shape[1] * x.shape[2] * x.shape[3]], name="flatten")
    x = tf.nn.relu(dense(x, 512, "dense1"))
    x = tf.nn.dropout(x, rate=0.5, name="dropout3")
    return tf.nn.softmax(dense(x, 10, "dense2"), name="prob")
