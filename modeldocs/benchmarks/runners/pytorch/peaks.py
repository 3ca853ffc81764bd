"""Peak rates of a device: the fastest of repeated large products and copies."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from modeldocs.benchmarks.measurements import Peaks
from modeldocs.benchmarks.request import BenchRequest, Precision, element_type
from modeldocs.benchmarks.runners.pytorch import conditions

SIDE = {"cpu": 1024, "cuda": 8192}
"""Rows and columns of the square matrices."""
IMAGES = {"cpu": (4, 256, 28)}
"""Batch, channels and side of a 3x3 convolution.

Libraries for processors may run it at twice the rate of a matrix product. On GPUs it is not used,
since libraries may do it with fewer multiplications.
"""
COPIED = {"cpu": 64 << 20, "cuda": 1 << 30}
"""Bytes of the copy."""
SECONDS = 1.0
"""Duration of each test."""


def peaks(request: BenchRequest) -> Peaks:
    """Peak rates of the device of a request, in its precision."""
    conditions.configure(request)
    return measure_peaks(torch.device(request.device), request.precision)


def measure_peaks(device: torch.device, precision: Precision) -> Peaks:
    """The test with the highest rate in `precision`, and a copy within the device's memory."""
    dtype: torch.dtype = getattr(torch, element_type(precision))
    with torch.inference_mode():
        tests = [_product(device, dtype)]
        if device.type in IMAGES:
            tests.append(_convolution(device, dtype))
        copied_bytes, copied_us = _copy(device)
    work, flops, flops_us = max(tests, key=lambda test: test[1] / test[2])
    return Peaks(
        flops=flops,
        flops_us=flops_us,
        copied_bytes=copied_bytes,
        copied_us=copied_us,
        method=f"{work} in {precision}, and a copy of {COPIED[device.type] >> 20} MiB; "
        f"the fastest of each in {SECONDS:g} s",
    )


def _product(device: torch.device, dtype: torch.dtype) -> tuple[str, int, float]:
    side = SIDE[device.type]
    left = torch.randn(side, side, device=device).to(dtype)
    right = torch.randn(side, side, device=device).to(dtype)
    result = torch.empty_like(left)
    us = _fastest_us(device, lambda: torch.mm(left, right, out=result))
    return f"product of two {side} x {side} matrices", 2 * side**3, us


def _convolution(device: torch.device, dtype: torch.dtype) -> tuple[str, int, float]:
    batch, channels, side = IMAGES[device.type]
    images = torch.randn(batch, channels, side, side, device=device).to(dtype)
    weight = torch.randn(channels, channels, 3, 3, device=device).to(dtype)
    us = _fastest_us(device, lambda: torch.nn.functional.conv2d(images, weight, padding=1))
    shape = f"{batch}x{channels}x{side}x{side}"
    return f"3x3 convolution of {shape}", 2 * batch * side**2 * channels**2 * 9, us


def _copy(device: torch.device) -> tuple[int, float]:
    """Bytes read and written, and the shortest time in microseconds."""
    source = torch.ones(COPIED[device.type], dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return 2 * source.numel(), _fastest_us(device, lambda: target.copy_(source))


def _fastest_us(device: torch.device, work: Callable[[], object]) -> float:
    for _ in range(3):
        work()
    times: list[float] = []
    start = time.perf_counter()
    while not times or time.perf_counter() - start < SECONDS:
        _wait(device)
        before = time.perf_counter()
        work()
        _wait(device)
        times.append(time.perf_counter() - before)
    return round(min(times) * 1e6, 2)


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
