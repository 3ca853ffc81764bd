"""A Keras port on its device, and its inference and training steps as TensorFlow's graphs."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from modeldocs.benchmarks.request import BenchRequest, Facts
from modeldocs.benchmarks.runners.benchmarked_model import (
    LEARNING_RATE,
    BenchmarkedModel,
    StepProfile,
    batched,
    synthetic,
)
from modeldocs.benchmarks.runners.tensorflow import conditions
from modeldocs.errors import ModeldocsError
from modeldocs.loaders.keras import framework, inputs, program, source

OPTIMIZER = "modeldocs_optimizer"
"""Name of the optimizer, in which the names of its operators begin."""


class KerasSubject(BenchmarkedModel):
    """A model and synthetic inputs; a step is one call of a `tf.function`."""

    def __init__(self, request: BenchRequest, *, sequential: bool = False) -> None:
        super().__init__(request)
        self.device = conditions.configure(request, sequential=sequential)
        self.cuda = self.device.startswith("/GPU")
        if self.cuda:
            self.sync = "the device is synchronised after every step"
        keras = framework.imported()
        keras.config.set_dtype_policy(request.dtype)
        with program.session(request.load, values=True), tf.device(self.device):
            read = source.read(request.load)
            feed = inputs.feed(read, request.load)
            self.run(lambda: inputs.build(read.model, feed))
            self.model = read.model
            self._place(feed)
        self._check_types()
        trained = self.model.trainable_variables
        self.params = sum(int(tf.size(variable)) for variable in trained)
        if self.training and not trained:
            raise ModeldocsError("has no trainable parameters", fix="measure --task inference")
        self.optimizer = (
            keras.optimizers.SGD(LEARNING_RATE, name=OPTIMIZER) if self.training else None
        )
        if self.optimizer is not None:
            self.optimizer.build(trained)
        work = self._train if self.training else self._infer
        self._graph: Any = tf.function(work, jit_compile=request.compile, autograph=False)

    def _place(self, feed: inputs.CallArguments) -> None:
        self.shapes = {}
        arrays = {}
        for name, tensor, _ in feed.graph_inputs:
            self.shapes[name] = batched(tuple(tensor.shape), self.request.batch)
            values = synthetic(name, self.shapes[name], str(tensor.dtype))
            arrays[id(tensor)] = tf.convert_to_tensor(values)
        tree = framework.imported().tree
        self.args, self.kwargs = tree.map_structure(
            lambda tensor: arrays.get(id(tensor), tensor), (list(feed.args), feed.kwargs)
        )

    def _check_types(self) -> None:
        """Refuse a model with layers in another precision than that of the request."""
        found = {layer.compute_dtype for layer in self.model._flatten_layers(include_self=False)}
        others = sorted(found - {self.request.dtype, None})
        if others:
            raise ModeldocsError(
                f"has layers that compute in {others[0]}, not in {self.request.dtype}",
                file=self.request.load.source,
                fix="leave the precision to the global policy: keras.config.set_dtype_policy",
            )

    def step(self) -> None:
        """Run one step of the task."""
        with tf.device(self.device):
            self.run(lambda: self._graph(self.args, self.kwargs))

    def _infer(self, args: Any, kwargs: Any) -> Any:
        return self.model(*args, **kwargs, training=False)

    def _train(self, args: Any, kwargs: Any) -> Any:
        with tf.GradientTape() as tape:
            outputs = tf.nest.flatten(self.model(*args, **kwargs, training=True))
            loss = sum(tf.reduce_mean(tf.square(tf.cast(out, tf.float32))) for out in outputs)
        variables = self.model.trainable_variables
        assert self.optimizer is not None
        self.optimizer.apply(tape.gradient(loss, variables), variables)
        return loss

    def wait(self) -> None:
        """Wait until the device has finished all work."""
        if self.cuda:
            tf.test.experimental.sync_devices()

    def facts(self) -> Facts:
        """The device, the software and the settings that the steps run with."""
        version = f"{framework.imported().__version__} (TensorFlow {tf.__version__})"
        return Facts(
            device=conditions.described(self.device),
            software=conditions.software("Keras", version),
            numerics=conditions.numerics(self.request, cuda=self.cuda),
            params=self.params,
            input_shapes=self.shapes,
        )

    def attribute(self, steps: int) -> StepProfile:
        """Time by layer and operator, by TensorFlow's profiler."""
        from modeldocs.benchmarks.runners.keras import trace

        return trace.attribute(self, steps)
