"""Graphs as TensorFlow saves them, each written into a folder: run by TensorFlow's interpreter."""

from pathlib import Path

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def _classic(build):
    """A graph of TensorFlow 1 in a session with its variables initialised."""
    graph = tf.Graph()
    with graph.as_default():
        v1.disable_resource_variables()
        v1.set_random_seed(1)
        build()
        session = v1.Session(graph=graph)
        if not any("/job:" in operation.device for operation in graph.get_operations()):
            session.run(v1.global_variables_initializer())
    return graph, session


def _network(*, device=None):
    image = v1.placeholder(tf.float32, [None, 8, 8, 3], name="image")
    with v1.variable_scope("conv1"), tf.device(device):
        kernel = v1.get_variable("weights", [3, 3, 3, 4])
        gamma = v1.get_variable("gamma", [4], initializer=v1.ones_initializer())
        beta = v1.get_variable("beta", [4])
        mean = v1.get_variable("moving_mean", [4], trainable=False)
        start = v1.ones_initializer()
        variance = v1.get_variable("moving_variance", [4], trainable=False, initializer=start)
    x = tf.nn.conv2d(image, kernel, 2, "SAME", name="conv1/Conv2D")
    x = v1.nn.fused_batch_norm(
        x, gamma, beta, mean, variance, epsilon=0.01, is_training=False, name="conv1/norm"
    )[0]
    x = tf.nn.relu(x, name="relu")
    return tf.identity(tf.reduce_mean(x, [1, 2]), name="pooled")


def _dense(x, features):
    kernel = v1.get_variable("dense/kernel", [x.shape[-1], features])
    bias = v1.get_variable("dense/bias", [features])
    return v1.nn.xw_plus_b(x, kernel, bias, name="dense/scores")


def plain_graph(folder: Path):
    server = "/job:ps/task:0"
    graph, _ = _classic(lambda: tf.nn.softmax(_dense(_network(device=server), 5), name="prob"))
    kept = v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["prob"])
    (folder / "net.pb").write_bytes(kept.SerializeToString(deterministic=True))
    (folder / "net.pbtxt").write_text(str(kept))


def frozen_graph(folder: Path):
    graph, session = _classic(lambda: tf.nn.softmax(_dense(_network(), 5), name="prob"))
    frozen = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["prob"])
    (folder / "net.pb").write_bytes(frozen.SerializeToString(deterministic=True))


def training_meta(folder: Path):
    """A network that is trained: dropout, a flag, a loss, an optimiser, a saver."""

    def build():
        training = v1.placeholder_with_default(False, [], name="training")
        x = _network()
        x = tf.cond(training, lambda: tf.nn.dropout(x, rate=0.4), lambda: x * 1.0)
        x = v1.nn.dropout(x, rate=0.25, name="dropout")
        scores = _dense(x, 5)
        tf.nn.softmax(scores, name="prob")
        label = v1.placeholder(tf.int32, [None], name="label")
        loss = v1.losses.sparse_softmax_cross_entropy(label, scores)
        v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, v1.train.create_global_step())
        v1.summary.scalar("loss", loss)
        v1.train.Saver()

    graph, _ = _classic(build)
    with graph.as_default():
        v1.train.export_meta_graph(str(folder / "net.meta"))


def classic_branches(folder: Path):
    """`tf.cond` as it was drawn before functions: Switch and Merge, on a flag that is fed."""

    def build():
        v1.disable_control_flow_v2()
        flag = v1.placeholder(tf.bool, [], name="is_training")
        x = v1.placeholder(tf.float32, [2, 6], name="x")
        v1.cond(flag, lambda: tf.tanh(x), lambda: tf.nn.relu(x) + 1.0, name="choice")

    graph, _ = _classic(build)
    v1.enable_control_flow_v2()
    (folder / "net.pb").write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))


def classic_loop(folder: Path):
    def build():
        v1.disable_control_flow_v2()
        x = v1.placeholder(tf.float32, [2, 6], name="x")
        v1.while_loop(lambda y: tf.reduce_sum(y) < 9.0, lambda y: y * y + 1.0, [x], name="again")

    graph, _ = _classic(build)
    v1.enable_control_flow_v2()
    (folder / "net.pb").write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))


def classic_saved_model(folder: Path):
    graph, session = _classic(lambda: tf.nn.softmax(_dense(_network(), 5), name="prob"))
    with graph.as_default():
        ends = [graph.get_tensor_by_name(name) for name in ("image:0", "prob:0", "relu:0")]
        v1.saved_model.simple_save(
            session, str(folder / "net"), {"pixels": ends[0]},
            {"probabilities": ends[1], "features": ends[2]},
        )  # fmt: skip


class Two(tf.Module):
    """Two signatures, variables that share a short name, and one function that calls another."""

    def __init__(self):
        super().__init__(name="two")
        self.first = tf.Variable(np.ones([6, 4], np.float32), name="kernel")
        self.second = tf.Variable(np.ones([4, 3], np.float32), name="kernel")
        self.scale = tf.Variable(np.ones([3], np.float32), name="scale", trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, 6], tf.float32, name="x")])
    def serve(self, x):
        return {"scores": tf.matmul(self.embed(x)["code"], self.second) * self.scale}

    @tf.function(input_signature=[tf.TensorSpec([None, 6], tf.float32, name="x")])
    def embed(self, x):
        return {"code": tf.nn.relu(tf.matmul(x, self.first))}


def saved_module(folder: Path):
    two = Two()
    signatures = {"serving_default": two.serve, "embed": two.embed}
    tf.saved_model.save(two, str(folder / "net"), signatures)
    for file in (folder / "net" / "variables").iterdir():
        file.unlink()


def unknown_operators(folder: Path):
    """A graph with an operator that no TensorFlow has, and one that ONNX has not."""
    graph, _ = _classic(
        lambda: tf.nn.relu(
            tf.linalg.cholesky(v1.placeholder(tf.float32, [2, 3, 3], name="x"), name="root")
        )
    )
    made = graph.as_graph_def(add_shapes=True)
    for node in made.node:
        if node.op == "Relu":
            node.op = "FancyRelu"
            node.attr["sharpness"].f = 0.5
    (folder / "net.pb").write_bytes(made.SerializeToString(deterministic=True))


def many_operators(folder: Path):
    """Operators with settings of every kind in one graph, its branches and loops as functions."""
    import networks

    def build():
        image = v1.placeholder(tf.float32, [1, 4, 6, 8], name="image")
        rows = v1.placeholder(tf.float32, [3, 6, 4], name="rows")
        few = v1.placeholder(tf.float32, [2, 6], name="few")
        large, high = tf.tile(image, [1, 3, 3, 1]), tf.tile(image, [3, 2, 1, 1])
        for function, given in (
            (networks.space_and_depth, image),
            (networks.resized, image),
            (networks.pools, large),
            (networks.paddings, image),
            (networks.response_norm, image),
            (networks.batch_to_space_cropped, tf.tile(image, [4, 1, 1, 1])),
            (networks.cut_and_joined, rows),
            (networks.slices_and_places, rows),
            (networks.strided_slices, high),
            (networks.found_along_an_axis, few),
            (networks.shapes_computed, rows[:2, :3]),
            (networks.branches, few),
            (networks.loops, few),
            (networks.calls, few),
            (networks.activations, few),
            (networks.reductions, image),
        ):
            tf.identity(function(given), name=f"out/{function.__name__}")

    graph, _ = _classic(build)
    (folder / "net.pbtxt").write_text(str(graph.as_graph_def()))


def _trained(folder, name, build):
    """A graph that trains what `build` makes, as a MetaGraph; it has no output but the step."""
    graph = tf.Graph()
    with graph.as_default():
        v1.disable_resource_variables()
        loss = build()
        v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, v1.train.get_or_create_global_step())
        v1.summary.scalar("loss", loss)
        v1.train.Saver()
        v1.train.export_meta_graph(str(folder / f"{name}.meta"), graph=graph)


def _queue(batch):
    """Images and labels as a queue gives them that a reader fills."""
    names = v1.train.string_input_producer(["a", "b"])
    _, read = v1.TFRecordReader().read(names)
    image = tf.reshape(tf.cast(v1.decode_raw(read, tf.uint8), tf.float32), (8, 8, 3)) / 255
    return v1.train.shuffle_batch([image, tf.size(read)], batch, 100, 10)


def _scores(image, *, reuse=None, partitions=None):
    with v1.variable_scope("net", reuse=reuse, partitioner=partitions):
        kernel = v1.get_variable("kernel", [3, 3, 3, 4])
        x = tf.nn.relu(tf.nn.conv2d(image, kernel, 2, "SAME"))
        if partitions is None:
            mean = v1.get_variable("moving_mean", [4], trainable=False)
            v1.assign(mean, 0.9 * mean + 0.1 * tf.reduce_mean(x, [0, 1, 2]))
        dense = v1.get_variable("dense", [64, 5])
        return tf.matmul(tf.reshape(x, [-1, 64]), dense)


def _loss(scores, labels):
    lost = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
    return tf.reduce_mean(lost)


def training(folder: Path):
    """Graphs of distributed training: queues, datasets, towers, servers, partitioned variables."""

    def queue():
        image, labels = _queue(4)
        return _loss(_scores(image), labels)

    def dataset():
        data = v1.data.Dataset.from_tensors((tf.zeros((4, 8, 8, 3)), tf.zeros((4,), tf.int32)))
        image, labels = v1.data.make_one_shot_iterator(data).get_next()
        return _loss(_scores(image), labels)

    def servers():
        with v1.device(v1.train.replica_device_setter(2, worker_device="/job:worker/task:1")):
            image, labels = _queue(4)
            return _loss(_scores(image), labels)

    def towers():
        image, labels = _queue(8)
        losses = []
        for number in range(2):
            with tf.device(f"/gpu:{number}"), v1.name_scope(f"tower_{number}"):
                scores = _scores(tf.split(image, 2)[number], reuse=number > 0)
                losses.append(_loss(scores, tf.split(labels, 2)[number]))
        return tf.add_n(losses)

    def partitioned():
        image, labels = _queue(4)
        return _loss(_scores(image, partitions=v1.fixed_size_partitioner(2)), labels)

    for build in (queue, dataset, servers, towers, partitioned):
        _trained(folder, build.__name__, build)
