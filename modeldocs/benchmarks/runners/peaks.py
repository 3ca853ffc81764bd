"""What a device reaches by itself: the fastest of many large matrix products and copies."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from modeldocs.benchmarks.quantities import Peaks

SIDE = {"cpu": 1024, "cuda": 8192}
COPIED = {"cpu": 64 << 20, "cuda": 1 << 30}
SECONDS = 1.0


def measure_peaks(device: torch.device, precision: str) -> Peaks:
    """Square matrix product in `precision`, and a copy within the device's memory."""
    side, size = SIDE[device.type], COPIED[device.type]
    dtype = getattr(torch, precision)
    with torch.inference_mode():
        left = torch.randn(side, side, device=device).to(dtype)
        right = torch.randn(side, side, device=device).to(dtype)
        product = torch.empty_like(left)
        flops_us = _fastest_us(device, lambda: torch.mm(left, right, out=product))
        source = torch.ones(size, dtype=torch.uint8, device=device)
        target = torch.empty_like(source)
        copied_us = _fastest_us(device, lambda: target.copy_(source))
    return Peaks(
        flops=2 * side**3,
        flops_us=flops_us,
        copied_bytes=2 * size,
        copied_us=copied_us,
        method=f"fastest {precision} product of two {side} x {side} matrices, fastest copy of "
        f"{size >> 20} MiB, each repeated for {SECONDS:g} s",
    )


def _fastest_us(device: torch.device, work: Callable[[], object]) -> float:
    for _ in range(3):
        work()
    times, start = [], time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        _wait(device)
        begun = time.perf_counter()
        work()
        _wait(device)
        times.append(time.perf_counter() - begun)
    return round(min(times) * 1e6, 2)


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
