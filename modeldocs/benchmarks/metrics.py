"""Metrics derived from the raw quantities of a record; None where an operand is unknown.

They are never stored. Shares are between 0 and 1, rates per second.
"""

from __future__ import annotations

from typing import Final

from modeldocs.benchmarks.ddp import Ddp
from modeldocs.benchmarks.measurements import Copies, Gpu
from modeldocs.benchmarks.record import Record

_ROUNDING: Final = 0.005
"""A share by which two figures of one time may differ when they are rounded."""


def _ratio(numerator: float | None, denominator: float | None) -> float | None:
    return None if numerator is None or not denominator else numerator / denominator


def _rate(amount: float | None, us: float | None) -> float | None:
    ratio = _ratio(amount, us)
    return None if ratio is None else ratio * 1e6


def samples_per_second(record: Record) -> float | None:
    """Samples (images, sequences) per second of the timed steps."""
    throughput = record.throughput
    if throughput is not None:
        return _rate(throughput.samples, throughput.wall_us)
    return None if record.mean_ms is None else _rate(record.run.batch, record.mean_ms * 1e3)


def forward_samples_per_second(record: Record) -> float | None:
    """Samples per second of the forward pass: of inference, or of the forward part of a step."""
    if record.run.task == "inference":
        return samples_per_second(record)
    forward = next((one for one in record.phases or () if one.name == "forward"), None)
    return None if forward is None else _rate(record.run.batch, forward.mean_ms * 1e3)


def step_ms(record: Record) -> float | None:
    """Milliseconds of a step: the median of those timed, else the mean that the source gives."""
    if record.step_ms is not None:
        return record.step_ms.p50
    if record.mean_ms is not None:
        return record.mean_ms
    rate = samples_per_second(record)
    return None if not rate or record.run.batch is None else record.run.batch / rate * 1e3


def flops_per_second(record: Record) -> float | None:
    """Floating-point operations of the model per second, at the median step."""
    if record.flops is None or record.step_ms is None:
        return None
    return _rate(record.flops.per_step, record.step_ms.p50 * 1e3)


def peak_flops_per_second(record: Record) -> float | None:
    """Floating-point operations per second that the device reached in its own test."""
    peaks = record.peaks
    return None if peaks is None else _rate(peaks.flops, peaks.flops_us)


def mfu(record: Record) -> float | None:
    """Model FLOPs utilisation: the model's operations per second over the measured peak."""
    return _ratio(flops_per_second(record), peak_flops_per_second(record))


def compute_copy_efficiency(gpu: Gpu) -> float | None:
    """Compute/memcpy efficiency: kernel time over copy time, |U(K)| / |U(M)|."""
    return _ratio(gpu.compute_us, gpu.copies_us)


def copy_compute_overlap(gpu: Gpu) -> float | None:
    """Memcpy/compute overlap: |U(K) ∩ U(M)| over the smaller of |U(K)| and |U(M)|."""
    if gpu.compute_us is None or gpu.copies_us is None:
        return None
    return _ratio(gpu.overlap_us, min(gpu.compute_us, gpu.copies_us))


def copy_overlap(gpu: Gpu) -> float | None:
    """Memcpy overlap: time with two copies active over the shorter direction's copy time."""
    shorter = gpu.shorter_direction_us
    if shorter is None and gpu.memcpy is not None:
        durations = [gpu.memcpy[kind].us for kind in ("HtoD", "DtoH") if kind in gpu.memcpy]
        both = [us for us in durations if us is not None]
        shorter = min(both) if len(both) == 2 else None
    return _ratio(gpu.concurrent_copies_us, shorter)


def small_copy_throughput(gpu: Gpu) -> float | None:
    """Bytes per second of the copies below the threshold."""
    small = gpu.small_copies
    return None if small is None else _rate(small.bytes, small.us)


def small_copy_share(gpu: Gpu) -> float | None:
    """Time of the copies below the threshold over the time of all copies."""
    small = gpu.small_copies
    return None if small is None else _ratio(small.us, small.all_us)


def compute_utilisation(gpu: Gpu) -> float | None:
    """Compute utilisation: time with at least one kernel active over the window."""
    return _ratio(gpu.compute_us, gpu.window_us)


def kernel_concurrency(gpu: Gpu) -> float | None:
    """Kernel concurrency: time with two or more kernels active over |U(K)|."""
    return _ratio(gpu.concurrent_kernels_us, gpu.compute_us)


def idle_share(gpu: Gpu) -> float | None:
    """Time with nothing active over the window."""
    return _ratio(gpu.idle_us, gpu.window_us)


def timed_apart(record: Record, traced_us: float | None) -> float | None:
    """The record's time of a step in µs, where a pass that times its parts took another time.

    `traced_us` is the time of a step in that pass. None where both are equal but for rounding, or
    where one of them is not known.
    """
    timed = step_ms(record)
    if not timed or not traced_us or abs(traced_us / (timed * 1e3) - 1) <= _ROUNDING:
        return None
    return timed * 1e3


def mean_step_ms(record: Record) -> float | None:
    """Mean milliseconds of a step: as the source gives it, else of those timed."""
    if record.mean_ms is None and record.step_ms is not None:
        return record.step_ms.mean
    return record.mean_ms


def launch_bound_share(gpu: Gpu) -> float | None:
    """Launch-bound share: idle time that ended with a late launch over the window."""
    return _ratio(gpu.launch_bound_us, gpu.window_us)


def copy_throughput(copies: Copies) -> float | None:
    """Bytes per second of the copies of one kind."""
    return _rate(copies.bytes, copies.us)


def all_reduce_overlap(ddp: Ddp) -> float | None:
    """The share of the time of all-reduces that fell into backward, as the framework reports it."""
    return _ratio(ddp.overlap_us, ddp.communication_us)
