"""An ONNX file in a session of onnxruntime."""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from modeldocs.benchmarks import machine
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.request import BenchRequest, Facts
from modeldocs.benchmarks.runners.benchmarked_model import (
    BenchmarkedModel,
    StepProfile,
    batched,
    synthetic,
)
from modeldocs.benchmarks.runners.onnx import trace, weights
from modeldocs.benchmarks.runners.onnx.batch import set_batch
from modeldocs.errors import ModeldocsError
from modeldocs.loaders.onnx import source

_MAX_BYTES = 2**31 - 1
"""Size of the largest model that protobuf serializes."""


class OnnxSubject(BenchmarkedModel):
    """A session on the file with the batch in its inputs, and arrays for them."""

    def __init__(self, request: BenchRequest, *, sequential: bool = False) -> None:
        super().__init__(request, sequential=sequential)
        _check(request)
        proto = source.read(request.load)
        folder = Path(str(request.load.path)).parent
        self.arrays = weights.stand_ins(proto, folder)
        weights.load_present(proto, folder)
        self.feeds = _feeds(proto, request)
        self.shapes = {name: array.shape for name, array in self.feeds.items()}
        self.params = None
        set_batch(proto, self.shapes)
        self.proto = proto
        self.model = _serialized(self.proto, request)
        self.session: Any = self.run(lambda: self._session(self._options()))
        self.session.disable_fallback()

    def _options(self) -> onnxruntime.SessionOptions:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = self._threads()
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(one) for one in self.arrays.values()]
        options.add_external_initializers(list(self.arrays), values)
        return options

    def _threads(self) -> int:
        return self.request.threads or machine.host().physical_cores or os.cpu_count() or 1

    def _session(self, options: onnxruntime.SessionOptions) -> onnxruntime.InferenceSession:
        device, _, number = self.request.device.partition(":")
        cuda = ("CUDAExecutionProvider", {"device_id": int(number or 0)})
        chosen = [cuda] if device == "cuda" else []
        return onnxruntime.InferenceSession(
            self.model, options, providers=[*chosen, "CPUExecutionProvider"]
        )

    def step(self) -> None:
        """Run one step of the task."""
        self.run(lambda: self.session.run(None, self.feeds))

    def facts(self) -> Facts:
        """The device, the software and the settings that the steps run with."""
        return Facts(
            device=_device(self.request),
            software=self._software(),
            numerics=part.Numerics(dtype=_dtype(self.feeds), amp=False, compiled=False),
            params=self.params,
            input_shapes=self.shapes,
        )

    def _software(self) -> part.Software:
        from modeldocs import __version__

        return part.Software(
            framework="onnxruntime",
            framework_version=onnxruntime.__version__,
            python=platform.python_version(),
            modeldocs=__version__,
            threads=self._threads(),
        )

    def attribute(self, steps: int) -> StepProfile:
        """Time by node, by the profile of a session of its own."""
        with tempfile.TemporaryDirectory() as folder:
            options = self._options()
            options.enable_profiling = True
            options.profile_file_prefix = str(Path(folder, "profile"))
            session = self._session(options)
            for _ in range(steps + 1):  # the first run is left out
                session.run(None, self.feeds)
            return trace.attribution(Path(session.end_profiling()), self.proto)


def _check(request: BenchRequest) -> None:
    if request.task == "training":
        raise ModeldocsError(
            "an ONNX file has no training step", fix="measure --task inference, or another port"
        )
    if request.compile or request.precision != "float32":
        option = "--compile" if request.compile else f"--precision {request.precision}"
        raise ModeldocsError(
            f"{option} is not known to onnxruntime: a file runs with its own types, optimised",
            fix="leave the option out, or measure a file that was converted",
        )
    wanted = "CUDAExecutionProvider" if request.device != "cpu" else "CPUExecutionProvider"
    if wanted not in onnxruntime.get_available_providers():
        raise ModeldocsError(
            "this onnxruntime has no CUDA provider",
            fix="measure with --device cpu, or install onnxruntime-gpu",
        )


def _feeds(proto: onnx.ModelProto, request: BenchRequest) -> dict[str, np.ndarray]:
    """Arrays for the inputs, by name; sizes as the request gives them, else as the file does.

    Raises:
        ModeldocsError: a size other than the batch is open.
    """
    stored = {tensor.name for tensor in proto.graph.initializer}
    feeds = {}
    for value in proto.graph.input:
        if value.name in stored:
            continue
        kind = value.type.tensor_type
        sizes = [dim.dim_value for dim in kind.shape.dim]
        shape = request.load.inputs.get(value.name, tuple(sizes))
        if 0 in shape[1:]:
            raise ModeldocsError(
                f"input {value.name!r} has open sizes",
                file=request.load.source,
                fix="write `inputs:` of the port in model.yml",
            )
        dtype = str(onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))
        feeds[value.name] = synthetic(value.name, batched(shape, request.batch), dtype)
    return feeds


def _serialized(proto: onnx.ModelProto, request: BenchRequest) -> bytes:
    if proto.ByteSize() > _MAX_BYTES:
        raise ModeldocsError(
            "is larger than 2 GiB with its weights, which onnxruntime does not take as one piece",
            file=request.load.source,
            fix="measure it without its file of weights: values of weights do not matter for time",
        )
    return bytes(proto.SerializeToString())


def _device(request: BenchRequest) -> part.Device:
    if request.device == "cpu":
        return machine.cpu()
    number = request.device.partition(":")[2] or "0"
    name = machine.gpu_name(number) or "GPU of unknown name"
    return machine.with_driver_facts(part.Device(name=name, kind="cuda", count=1), number)


def _dtype(feeds: dict[str, np.ndarray]) -> Any:
    """The type of the floating-point inputs; float32 where all inputs are integers."""
    floats = {str(array.dtype) for array in feeds.values() if array.dtype.kind == "f"}
    return next(iter(floats), "float32")
