"""The device, software and settings of a run of TensorFlow, which is imported with its defaults.

The loaders import TensorFlow without oneDNN, whose rounding depends on the processor; users run it
with oneDNN, so measurements do too.
"""

from __future__ import annotations

import platform
import re
from typing import Any

import tensorflow as tf
from tensorflow.python.client import device_lib

from modeldocs.benchmarks import machine
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.request import BenchRequest
from modeldocs.errors import ModeldocsError

_GPU = re.compile(r"name: (.+), pci bus id: ([0-9a-fA-F:.]+), compute capability: ([0-9.]+)")


def configure(request: BenchRequest, *, sequential: bool) -> str:
    """Set threads and TF32, and return TensorFlow's name of the device.

    With `sequential` operators run one after another, each with all threads.

    Raises:
        ModeldocsError: TensorFlow finds no such device.
    """
    if request.threads is not None:
        tf.config.threading.set_intra_op_parallelism_threads(request.threads)
    if sequential:
        tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.experimental.enable_tensor_float_32_execution(request.precision == "tf32")
    if request.device == "cpu":
        tf.config.set_visible_devices([], "GPU")
        return "/CPU:0"
    number = int(request.device.partition(":")[2] or 0)
    if number >= len(tf.config.list_physical_devices("GPU")):
        raise ModeldocsError(
            f"TensorFlow finds no device {request.device}",
            fix="measure with --device cpu, or declare an `environment:` of the port in model.yml "
            "with tensorflow[and-cuda]",
        )
    return f"/GPU:{number}"


def described(device: str) -> part.Device:
    """The device with the facts of its driver."""
    if device.startswith("/CPU"):
        return machine.cpu()
    found = next(one for one in device_lib.list_local_devices() if one.name.endswith(device[1:]))
    match = _GPU.search(found.physical_device_desc)
    if match is None:
        return part.Device(name="GPU of unknown name", kind="cuda", count=1)
    name, bus, capability = match.groups()
    known = part.Device(name=name, kind="cuda", count=1, compute_capability=capability)
    return machine.with_driver_facts(known, bus)


def software(framework: str, version: str) -> part.Software:
    """Versions, and the threads of an operator."""
    from modeldocs import __version__

    build: Any = tf.sysconfig.get_build_info()
    threads = tf.config.threading.get_intra_op_parallelism_threads()
    return part.Software(
        framework=framework,
        framework_version=version,
        python=platform.python_version(),
        modeldocs=__version__,
        cuda=build.get("cuda_version"),
        cudnn=build.get("cudnn_version"),
        threads=threads or machine.host().logical_cores,
    )


def numerics(request: BenchRequest, *, cuda: bool) -> part.Numerics:
    """Precision and compilation."""
    return part.Numerics(
        dtype=request.dtype,
        amp=False,
        tf32=request.precision == "tf32" if cuda else None,
        channels_last=None,
        compiled=request.compile,
    )
