"""The section of a record on data-parallel training."""

from __future__ import annotations

from modeldocs.benchmarks.measurements import StepTimes
from modeldocs.benchmarks.metadata import Amount, Count, Positive, Section


class GradientBucket(Section, frozen=True):
    """A bucket of gradients, which is reduced as a whole."""

    bytes: Count
    """Bytes of its gradients."""
    ready_us: Amount
    """Time from the start of a step until the last of its gradients is computed."""


class Gradient(Section, frozen=True):
    """The gradients of the parameters that a module itself holds."""

    path: str
    """The module's path; the empty path is the network."""
    bytes: Count
    """Bytes of these gradients."""
    ready_us: Amount
    """Time from the start of a step until the last of them is computed."""


class AllReduce(Section, frozen=True):
    """All-reduces of one size, one after another, while nothing is computed."""

    bytes: Positive
    """Bytes of the reduced tensor."""
    n: Positive
    """Number of all-reduces that were timed."""
    us: Amount
    """Median time."""


class Ddp(Section, frozen=True):
    """Data-parallel training: the cost of the all-reduce, and its overlap with backward.

    All workers begin a step together; its time is that of the slowest of them.
    """

    world: Positive
    """Number of workers, each a process with a copy of the model and a batch of `run.batch`."""
    backend: str | None = None
    """Communication backend."""
    bucket_cap_bytes: Count | None = None
    """Maximum size of a bucket of gradients after the first."""
    alone_ms: StepTimes | None = None
    """Steps of one worker without all-reduce, while the others wait."""
    local_ms: StepTimes | None = None
    """Steps of all workers at the same time without all-reduce."""
    blocking_ms: StepTimes | None = None
    """Steps with the all-reduce after backward."""
    forward_backward_us: Amount | None = None
    """Median time from the start of a step without all-reduce to the end of its backward."""
    buckets: tuple[GradientBucket, ...] | None = None
    """Buckets in the order in which they are reduced."""
    gradients: tuple[Gradient, ...] | None = None
    """Modules with parameters, in definition order."""
    all_reduces: tuple[AllReduce, ...] | None = None
    """Times of the all-reduce by size."""
    compute_us: Amount | None = None
    """Time of backward with overlapped all-reduces, as the framework reports it."""
    communication_us: Amount | None = None
    """Time from the first all-reduce of a step to the end of the last, as the framework reports."""
    overlap_us: Amount | None = None
    """The part of that time during backward, as the framework reports it."""
