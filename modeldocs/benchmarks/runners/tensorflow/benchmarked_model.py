"""A graph of TensorFlow in a session, as serving runs it."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from typing import Any

import msgspec
import numpy as np
import tensorflow as tf

from modeldocs.benchmarks.measurements import Block
from modeldocs.benchmarks.request import BenchRequest, Facts
from modeldocs.benchmarks.runners.benchmarked_model import (
    BenchmarkedModel,
    StepProfile,
    batched,
    random_weights,
    synthetic,
)
from modeldocs.benchmarks.runners.tensorflow import conditions, profiler
from modeldocs.benchmarks.runners.tensorflow.node_names import NodeNames
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.tensorflow import session, source
from modeldocs.loaders.tensorflow.assembly import AssembledGraphDef, assemble
from modeldocs.normal import values


class TensorFlowSubject(BenchmarkedModel):
    """The graph that serving runs, with random values in its variables and inputs."""

    def __init__(self, request: BenchRequest, *, sequential: bool = False) -> None:
        super().__init__(request, sequential=sequential)
        _check(request)
        self.device = conditions.configure(request, sequential=sequential)
        graph = _assembled(request)
        self.shapes = _shapes(graph)
        self.params = None
        self.run(lambda: self._start(graph, sequential=sequential))

    def _start(self, assembled: AssembledGraphDef, *, sequential: bool) -> None:
        self.names = NodeNames(assembled.graph.typed.graph_def)
        definition = session.runnable(assembled.graph.typed.graph_def, {})
        config = tf.compat.v1.ConfigProto(
            intra_op_parallelism_threads=self.request.threads or 0,
            inter_op_parallelism_threads=1 if sequential else 0,
        )
        graph = tf.Graph()
        with graph.as_default(), tf.device(self.device):
            tf.graph_util.import_graph_def(definition, name="")
            feeds = [graph.get_tensor_by_name(f"{feed.node}:0") for feed in assembled.feeds]
            arrays = [
                synthetic(name, shape, feed.dtype.as_numpy_dtype.__name__)
                for (name, shape), feed in zip(self.shapes.items(), feeds, strict=True)
            ]
            outputs = [f"{name}:{index}" for name, index in assembled.graph.typed.flat.outputs]
            assignments = _assignments(graph, assembled)
        self.session: Any = tf.compat.v1.Session(graph=graph, config=config)
        for assignment, placeholder, array in assignments:
            self.session.run(assignment, {placeholder: array})
        # A callable skips what `Session.run` does in Python at each call.
        self._call = self.session.make_callable(outputs, feed_list=feeds)
        self._arrays = arrays

    def step(self) -> None:
        """Run one step of the task."""
        self.run(lambda: self._call(*self._arrays))

    def facts(self) -> Facts:
        """The device, the software and the settings that the steps run with."""
        return Facts(
            device=conditions.described(self.device),
            software=conditions.software("TensorFlow", tf.__version__),
            numerics=conditions.numerics(self.request, cuda=self.device.startswith("/GPU")),
            params=self.params,
            input_shapes=self.shapes,
        )

    def attribute(self, steps: int) -> StepProfile:
        """Time by node of the graph, by TensorFlow's profiler."""
        profile = profiler.profile(self, steps)
        times: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(profile.steps))
        for number, operators in enumerate(profile.steps):
            for one in operators:
                name = self.names.of(one.name, one.kind)
                times[name][number] += one.own
        whole = Block(path="", kind="graph", forward_us=_median(profile.durations))
        nodes = [
            Block(path=name, kind=self.names.kind(name), forward_us=_median(us))
            for name, us in times.items()
        ]
        return StepProfile(blocks=(whole, *nodes), host_operators=profile.host_operators())


def _median(microseconds: list[float]) -> float:
    return round(statistics.median(microseconds), 2)


def _check(request: BenchRequest) -> None:
    if request.task == "training":
        raise ModeldocsError(
            "a graph of TensorFlow has no training step",
            fix="measure --task inference, or a port of Keras",
        )
    if request.compile or request.precision not in ("float32", "tf32"):
        option = "--compile" if request.compile else f"--precision {request.precision}"
        raise ModeldocsError(
            f"{option} is not possible: a graph of TensorFlow runs with its own types, as it is",
            fix="leave the option out, or measure a port of Keras",
        )


def _assembled(request: BenchRequest) -> AssembledGraphDef:
    """The source's graph with the batch in the shapes of its inputs."""
    first = _read(request.load)
    shapes = {
        str(value.name): batched(_sizes(values.shape(value), request), request.batch)
        for value in first.model.graph.inputs
    }
    return _read(msgspec.structs.replace(request.load, inputs=shapes))


def _read(request: LoadRequest) -> AssembledGraphDef:
    return assemble(source.read(request), request)


def _sizes(shape: tuple[Any, ...] | None, request: BenchRequest) -> tuple[int, ...]:
    if shape is None or not all(isinstance(size, int) for size in shape):
        raise ModeldocsError(
            "an input has open sizes",
            file=request.load.source,
            fix="write `inputs:` of the port in model.yml",
        )
    return shape


def _shapes(assembled: AssembledGraphDef) -> dict[str, tuple[int, ...]]:
    found = {str(value.name): values.shape(value) for value in assembled.model.graph.inputs}
    return {name: tuple(int(size) for size in shape or ()) for name, shape in found.items()}


def _assignments(graph: Any, assembled: AssembledGraphDef) -> list[tuple[Any, Any, np.ndarray]]:
    """For each variable an operation that sets it, the placeholder that this reads, and values."""
    found = []
    present = {operation.name for operation in graph.get_operations()}
    for name, value in assembled.graph.parameters.values.items():
        if name not in present or value.dtype is None:
            continue
        operation = graph.get_operation_by_name(name)
        if operation.type == "Const":
            continue
        shape = tuple(int(size) for size in values.shape(value) or ())
        array = random_weights(name, shape, math.prod(shape[:-1])).astype(value.dtype.numpy())
        found.append((*session.assignment(operation, array), array))
    return found
