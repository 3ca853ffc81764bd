"""The device, software and numeric settings of a PyTorch run."""

from __future__ import annotations

import platform
from typing import Any

import torch

from modeldocs.benchmarks import machine
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.request import BenchRequest
from modeldocs.errors import ModeldocsError


def device(name: str) -> torch.device:
    """The device of that name, made current.

    Raises:
        ModeldocsError: PyTorch finds no such device.
    """
    found = torch.device(name)
    if found.type == "cuda":
        if not torch.cuda.is_available():
            raise ModeldocsError(
                "PyTorch finds no CUDA device",
                fix="measure with --device cpu, or install a CUDA build of torch and its driver",
            )
        if (found.index or 0) >= torch.cuda.device_count():
            raise ModeldocsError(
                f"there is no device {name}", fix="use a lower number, counted from 0"
            )
        torch.cuda.set_device(found.index or 0)
    return found


def configure(request: BenchRequest) -> None:
    """Set threads and TF32, which is used only where the precision is `tf32`."""
    if request.threads is not None:
        torch.set_num_threads(request.threads)
    torch.backends.cuda.matmul.allow_tf32 = request.precision == "tf32"
    torch.backends.cudnn.allow_tf32 = request.precision == "tf32"


def described(one: torch.device) -> part.Device:
    """The device with the facts of its driver and its present clocks."""
    if one.type == "cpu":
        return machine.cpu()
    properties = torch.cuda.get_device_properties(one)
    found = part.Device(
        name=properties.name,
        kind="cuda",
        count=1,
        compute_capability=f"{properties.major}.{properties.minor}",
        memory_bytes=properties.total_memory,
    )
    return machine.with_driver_facts(found, uuid(one))


def uuid(one: torch.device) -> str:
    """The device's id, as the driver's tools take it."""
    return f"GPU-{torch.cuda.get_device_properties(one).uuid}"


def software() -> part.Software:
    """Versions, and the threads of an operator."""
    from modeldocs import __version__

    cudnn: Any = torch.backends.cudnn.version() if torch.cuda.is_available() else None
    return part.Software(
        framework="PyTorch",
        framework_version=str(torch.__version__),
        python=platform.python_version(),
        modeldocs=__version__,
        cuda=torch.version.cuda,
        cudnn=None if cudnn is None else str(cudnn),
        threads=torch.get_num_threads(),
    )


def numerics(request: BenchRequest, *, cuda: bool) -> part.Numerics:
    """Precision and choice of kernels."""
    return part.Numerics(
        dtype=request.dtype,
        amp=False,
        tf32=torch.backends.cuda.matmul.allow_tf32 if cuda else None,
        cudnn_benchmark=torch.backends.cudnn.benchmark if cuda else None,
        cudnn_deterministic=torch.backends.cudnn.deterministic if cuda else None,
        channels_last=False,
        compiled=request.compile,
        cuda_graph=False if cuda else None,
    )
