"""What is derived from a record's raw quantities: never stored, None where an operand is unknown.

Shares are between 0 and 1; rates are per second; MB and GB are decimal.
"""

from __future__ import annotations

from modeldocs.benchmarks.quantities import Copies, Gpu
from modeldocs.benchmarks.record import Record


def _ratio(above: float | None, below: float | None) -> float | None:
    return None if above is None or not below else above / below


def _rate(amount: float | None, us: float | None) -> float | None:
    ratio = _ratio(amount, us)
    return None if ratio is None else ratio * 1e6


def samples_per_second(record: Record) -> float | None:
    """Samples (images, sequences) a second of the timed steps."""
    measured = record.throughput
    return None if measured is None else _rate(measured.samples, measured.wall_us)


def flops_per_second(record: Record) -> float | None:
    """Floating-point operations a second that the model itself asks for, at the median step."""
    if record.flops is None or record.step_ms is None:
        return None
    return _rate(record.flops.per_step, record.step_ms.p50 * 1e3)


def peak_flops_per_second(record: Record) -> float | None:
    """Operations a second of the device's own product test."""
    peaks = record.peaks
    return None if peaks is None else _rate(peaks.flops, peaks.flops_us)


def peak_bytes_per_second(record: Record) -> float | None:
    """Bytes a second, read and written, of the device's own copy test."""
    peaks = record.peaks
    return None if peaks is None else _rate(peaks.copied_bytes, peaks.copied_us)


def mfu(record: Record) -> float | None:
    """Model FLOPs utilisation: what the model asks for against the measured peak."""
    return _ratio(flops_per_second(record), peak_flops_per_second(record))


def joules_per_sample(record: Record) -> float | None:
    """Energy of one sample, from the window of the energy pass."""
    energy, batch = record.energy, record.run.batch
    if energy is None or batch is None:
        return None
    return _ratio(energy.energy_mj / 1e3, energy.steps * batch)


def compute_copy_efficiency(gpu: Gpu) -> float | None:
    """Compute/memcpy efficiency: |U(K)| / |U(M)|."""
    return _ratio(gpu.compute_us, gpu.copies_us)


def copy_compute_overlap(gpu: Gpu) -> float | None:
    """Memcpy/compute overlap: |U(K) ∩ U(M)| against the smaller of the two."""
    if gpu.compute_us is None or gpu.copies_us is None:
        return None
    return _ratio(gpu.overlap_us, min(gpu.compute_us, gpu.copies_us))


def copy_overlap(gpu: Gpu) -> float | None:
    """Memcpy overlap: time with two copies active against the shorter direction."""
    shorter = gpu.shorter_direction_us
    if shorter is None and gpu.memcpy is not None:
        durations = [gpu.memcpy[kind].us for kind in ("HtoD", "DtoH") if kind in gpu.memcpy]
        known = [us for us in durations if us is not None]
        shorter = min(known) if len(known) == 2 else None
    return _ratio(gpu.concurrent_copies_us, shorter)


def small_copy_throughput(gpu: Gpu) -> float | None:
    """Bytes a second of the copies below the threshold."""
    small = gpu.small_copies
    return None if small is None else _rate(small.bytes, small.us)


def small_copy_share(gpu: Gpu) -> float | None:
    """Share of all copy time that went into copies below the threshold."""
    small = gpu.small_copies
    return None if small is None else _ratio(small.us, small.all_us)


def compute_utilisation(gpu: Gpu) -> float | None:
    """|U(K)| against the window: time with at least one kernel running, not load."""
    return _ratio(gpu.compute_us, gpu.window_us)


def kernel_concurrency(gpu: Gpu) -> float | None:
    """Time with two or more kernels active against |U(K)|."""
    return _ratio(gpu.concurrent_kernels_us, gpu.compute_us)


def idle_share(gpu: Gpu) -> float | None:
    """Share of the window in which the device did nothing."""
    return _ratio(gpu.idle_us, gpu.window_us)


def copy_throughput(copies: Copies) -> float | None:
    """Bytes a second of the copies of one kind."""
    return _rate(copies.bytes, copies.us)
