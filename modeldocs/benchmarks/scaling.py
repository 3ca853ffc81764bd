"""The scaling model of data-parallel training: the time of a step for any number of workers.

A step is forward, backward and the update of the parameters. Backward computes the gradients of
bucket b, of S_b bytes, until the time r_b. The all-reduce of a bucket among N workers on a ring is

    c(S, N) = 2 (N - 1) α + 2 (N - 1) / N · S / B

with the latency α of a message and the bandwidth B. Blocking, the all-reduces follow backward:

    T = T_forward+backward + Σ c(S_b, N) + T_update

Overlapped, bucket b is reduced until f_b, while backward goes on:

    f_b = max(r_b, f_{b-1}) + c(S_b, N),   T = max(T_forward+backward, f_last) + T_update

Where both run on the same processor, computing takes the contention κ ≥ 1 times as long while an
all-reduce runs, which delays r_b and the end of backward. Without contention κ is 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from modeldocs.benchmarks.ddp import AllReduce, Ddp
from modeldocs.benchmarks.record import Record

_TOLERANCE: Final = 1e-9


class ReducedBucket(NamedTuple):
    """Bytes of a bucket, and µs from the start of the step until its gradients are computed."""

    bytes: float
    ready_us: float


class ReducedStep(NamedTuple):
    """A step without all-reduce, in µs, and its buckets in the order in which they are reduced."""

    forward_backward_us: float
    update_us: float
    buckets: tuple[ReducedBucket, ...]

    @property
    def us(self) -> float:
        """Time of the whole step."""
        return self.forward_backward_us + self.update_us


class Interconnect(NamedTuple):
    """The connection of the workers: latency of a message, and bandwidth (may be infinite)."""

    latency_us: float
    bytes_per_us: float

    def all_reduce_us(self, size: float, world: int) -> float:
        """Time of an all-reduce of `size` bytes among `world` workers on a ring."""
        messages = 2 * (world - 1)
        return messages * self.latency_us + messages / world * size / self.bytes_per_us


class ScalingModel(NamedTuple):
    """A step, a connection, and the contention of computing with the all-reduce."""

    step: ReducedStep
    link: Interconnect
    contention: float = 1.0

    def blocking_us(self, world: int) -> float:
        """Time of a step with the all-reduce after backward."""
        buckets = self.step.buckets
        return self.step.us + sum(self.link.all_reduce_us(one.bytes, world) for one in buckets)

    def overlapped_us(self, world: int) -> float:
        """Time of a step with the all-reduce during backward."""
        reductions = [self.link.all_reduce_us(one.bytes, world) for one in self.step.buckets]
        return _overlapped_us(self.step, reductions, 1 / self.contention)

    def efficiency(self, step_us: float) -> float:
        """The local step over a step with all-reduce, 0 to 1: the share of the ideal rate."""
        return self.step.us / step_us


def _overlapped_us(step: ReducedStep, reductions: Sequence[float], speed: float) -> float:
    """The step, where computing has this speed (0 to 1) while an all-reduce runs."""
    now = done = free = 0.0  # time, computed part of the step, and end of the last all-reduce
    for bucket, reduction in zip(step.buckets, reductions, strict=True):
        ready = min(bucket.ready_us, step.forward_backward_us)
        now = _computed_at(max(ready - done, 0.0), now, free, speed)
        done = max(done, ready)
        free = max(now, free) + reduction
    end = _computed_at(step.forward_backward_us - done, now, free, speed)
    return max(end, free) + step.update_us


def _computed_at(work: float, now: float, busy_until: float, speed: float) -> float:
    """When `work` µs of computing end that begin now, slower until `busy_until`."""
    busy = max(busy_until - now, 0.0)
    if work <= busy * speed:
        return now + (work / speed if work else 0.0)
    return now + busy + work - busy * speed


def fit_link(times: Sequence[AllReduce], world: int) -> Interconnect:
    """Latency and bandwidth, neither negative, with the least sum of relative errors of `times`.

    The errors are absolute, not squared, so that a disturbed size carries the fit away less. There
    are two sizes or more, and two workers or more.
    """
    import numpy as np  # slow to import, as is scipy
    from scipy import optimize

    us = np.array([one.us for one in times])
    sizes = np.array([one.bytes for one in times], dtype=float)
    unit = sizes.max()
    # Variables: the time of size 0, that of `unit` bytes beyond it, and the error of each size.
    model = np.column_stack([1 / us, sizes / unit / us])
    errors = np.eye(len(us))
    found = optimize.linprog(
        np.concatenate([[0.0, 0.0], np.ones(len(us))]),
        A_ub=np.block([[model, -errors], [-model, -errors]]),
        b_ub=np.concatenate([np.ones(len(us)), -np.ones(len(us))]),
    )
    fixed, per_unit = found.x[:2]
    messages = 2 * (world - 1)
    bandwidth = messages / world * unit / per_unit if per_unit > 0 else math.inf
    return Interconnect(latency_us=float(fixed) / messages, bytes_per_us=float(bandwidth))


def fit_contention(
    step: ReducedStep, link: Interconnect, world: int, overlapped_us: float
) -> float:
    """The contention with which the model's overlapped step takes as long as the measured one.

    It is 1 where the measured step is shorter than any that the model has, or no all-reduce can
    overlap, so that the contention changes nothing; it is infinite where the measured is longer.
    """
    from scipy import optimize

    reductions = [link.all_reduce_us(one.bytes, world) for one in step.buckets]

    def excess(speed: float) -> float:
        return _overlapped_us(step, reductions, speed) - overlapped_us

    if excess(1.0) >= 0 or excess(0.0) - excess(1.0) <= _TOLERANCE * overlapped_us:
        return 1.0
    if excess(0.0) <= 0:
        return math.inf
    return 1 / float(optimize.brentq(excess, 0.0, 1.0, xtol=_TOLERANCE))


def fitted(record: Record) -> ScalingModel | None:
    """The model of a recorded run; None where that lacks a quantity.

    Only on a processor that both computes and communicates the contention is fitted.
    """
    ddp, overlapped = record.ddp, record.step_ms
    step = _step(ddp) if ddp is not None else None
    if ddp is None or step is None or overlapped is None or ddp.world < 2:
        return None
    times = [one for one in ddp.all_reduces or () if one.us > 0]
    if len({one.bytes for one in times}) < 2:
        return None
    link = fit_link(times, ddp.world)
    if record.device.kind != "cpu":
        return ScalingModel(step, link)
    return ScalingModel(step, link, fit_contention(step, link, ddp.world, overlapped.p50 * 1e3))


def _step(ddp: Ddp) -> ReducedStep | None:
    """The step without all-reduce; what follows its backward is the update."""
    if ddp.local_ms is None or ddp.forward_backward_us is None or not ddp.buckets:
        return None
    local_us = ddp.local_ms.p50 * 1e3
    forward_backward = min(ddp.forward_backward_us, local_us)
    buckets = tuple(ReducedBucket(float(one.bytes), one.ready_us) for one in ddp.buckets)
    return ReducedStep(forward_backward, local_us - forward_backward, buckets)
