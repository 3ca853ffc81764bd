"""Graphics processors: year of release, and the rates that their data sheets promise.

The float32 rate is cores × 2 × boost clock. The half-precision rate is that of dense matrix
products of 16-bit operands with 32-bit accumulation on the matrix units, which is what frameworks
use; processors without such units have none here.
"""

from __future__ import annotations

from typing import NamedTuple

from modeldocs.benchmarks.labels import is_half
from modeldocs.benchmarks.record import Record

_TERA, _GIGA = 1e12, 1e9


class KnownDevice(NamedTuple):
    """A processor's year of release, operations per second, and bytes per second of its memory."""

    year: int
    float32: float
    half: float | None
    bandwidth: float


def _device(year: int, float32: float, half: float | None, bandwidth: float) -> KnownDevice:
    """A device whose rates are given in TFLOPS and GB/s."""
    return KnownDevice(year, float32 * _TERA, half * _TERA if half else None, bandwidth * _GIGA)


DEVICES = {
    "GTX 950": _device(2015, 1.83, None, 105.8),
    "NVIDIA GeForce GTX TITAN X (Maxwell)": _device(2015, 6.60, None, 336.6),
    "NVIDIA GeForce GTX 1080": _device(2016, 8.87, None, 320.3),
    "NVIDIA TITAN X (Pascal)": _device(2016, 10.97, None, 480.4),
    "NVIDIA GeForce GTX 1080 Ti": _device(2017, 11.34, None, 484.4),
    "Tesla V100-SXM2-16GB": _device(2017, 15.7, 125.3, 900.0),
    "NVIDIA A100-PG509-200": _device(2020, 19.5, 311.9, 1555.0),
    "NVIDIA GeForce RTX 3090": _device(2020, 35.58, 71.2, 936.2),
    "NVIDIA GeForce RTX 4090": _device(2022, 82.58, 165.2, 1008.0),
    "NVIDIA H100": _device(2022, 66.9, 989.4, 3350.0),
    "NVIDIA GeForce RTX 5090": _device(2025, 104.8, 209.5, 1792.0),
    "NVIDIA RTX PRO 6000 Blackwell Max-Q": _device(2025, 109.7, 438.9, 1792.0),
}
"""Devices by the name that records have."""

_TIMES_FORWARD = {"inference": 1, "forward-backward": 3, "training": 3}
"""Operations of a step over those of its forward pass: backward takes twice as many."""


def short_name(device: str) -> str:
    """A device's name without those of its maker and its series."""
    return device.removeprefix("NVIDIA ").removeprefix("GeForce ")


def utilisation(record: Record, rate: float, macs: int) -> float | None:
    """Model FLOPs utilisation: operations per second over the data sheet's, 0 to 1.

    `rate` is in samples per second, `macs` are the multiply-accumulates of one sample forward. None
    where the device, the task or the precision is unknown.
    """
    device = DEVICES.get(record.device.name)
    times = _TIMES_FORWARD.get(record.run.task or "")
    numerics = record.numerics
    if device is None or times is None or numerics.dtype is None:
        return None
    peak = device.half if is_half(numerics) else device.float32
    return rate * 2 * macs * times / peak if peak else None
