"""The sections of a record that hold measured quantities.

All are raw: bytes, microseconds (`_us`), milliseconds for step times (`_ms`), millijoules. Ratios
are derived by `metrics`, never stored.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from modeldocs.benchmarks.sections import Amount, Count, Positive, Section

P99_LEAST = 662
"""Fewest samples from which a 99th percentile is told."""

CopyKind = Literal["HtoD", "DtoH", "DtoD", "P2P", "HtoH"]


class StepTimes(Section, frozen=True):
    """Milliseconds a step. The statistics are over all `n` steps, kept or not."""

    samples: tuple[tuple[Amount, ...], ...]
    """Steps kept, in the order they ran, one list for each process."""
    n: Positive
    """Steps timed, of all processes."""
    mean: Amount
    """Arithmetic mean."""
    std: Amount
    """Standard deviation of the sample."""
    p50: Amount
    """Median."""
    p90: Amount
    """90th percentile, linearly interpolated."""
    p99: Amount | None = None
    """99th percentile; told only of 662 steps or more."""
    every: Positive = 1
    """`samples` keeps the first and every so-many-th step after it."""

    def __post_init__(self) -> None:
        if self.p99 is not None and self.n < P99_LEAST:
            raise ValueError(f"p99 of {self.n} samples: it is told from {P99_LEAST} on")


class Throughput(Section, frozen=True):
    """The timed steps as a whole, all processes summed."""

    samples: Positive
    """Samples (images, sequences) that went through."""
    wall_us: Amount
    """Wall time that it took."""


class Memory(Section, frozen=True):
    """Peaks of a process that ran only a few steps, apart from the timing."""

    peak_rss_bytes: Count | None = None
    """Most of the host's memory that the process held, the framework itself included."""
    start_rss_bytes: Count | None = None
    """Most it had held once the framework was imported, before the model was built."""
    peak_allocated_bytes: Count | None = None
    """Most device memory in tensors."""
    peak_reserved_bytes: Count | None = None
    """Most device memory that the framework's allocator held."""


class Energy(Section, frozen=True):
    """The device's energy counter over a window of whole steps."""

    energy_mj: Amount
    """Energy in millijoules."""
    window_us: Amount
    """Length of the window."""
    steps: Positive
    """Steps in the window."""
    source: str
    """The counter read."""


class Flops(Section, frozen=True):
    """Floating-point operations that the model asks for."""

    per_step: Count
    """Operations of one step at the run's batch, 2 for each multiply-accumulate."""
    counter: str
    """What counted them, and which operators it counts."""


class Peaks(Section, frozen=True):
    """What the device reached in a test of its own, to set the model's figures against."""

    flops: Amount | None = None
    """Operations of the large product, in the run's precision, that reached the highest rate."""
    flops_us: Amount | None = None
    """The fastest it was done in."""
    copied_bytes: Amount | None = None
    """Bytes read and written by a large copy within the device's memory."""
    copied_us: Amount | None = None
    """The fastest it was done in."""
    method: str | None = None
    """Sizes and repetitions."""


class Copies(Section, frozen=True):
    """Copies of one kind."""

    n: Count | None = None
    """How many."""
    bytes: Count | None = None
    """Their sizes summed."""
    us: Amount | None = None
    """Their durations summed."""


class SmallCopies(Section, frozen=True):
    """Copies below a size."""

    threshold_bytes: Count | None = None
    """The size; where it is unknown, the tool's own."""
    bytes: Count | None = None
    """Their sizes summed."""
    us: Amount | None = None
    """Their durations summed."""
    all_us: Amount | None = None
    """Durations of all copies, small and large, summed."""


class Kernel(Section, frozen=True):
    """All launches of one kernel."""

    name: str
    """Name as the trace has it."""
    n: Count | None = None
    """Launches."""
    us: Amount | None = None
    """Durations summed."""
    occupancy: Annotated[float, Meta(ge=0, le=1)] | None = None
    """Achieved or estimated occupancy, 0 to 1, averaged by duration."""


class Gpu(Section, frozen=True):
    """What one device did in a window, from a trace.

    K are kernels, M memory copies, C collective kernels; U is the union of their intervals.
    """

    window_us: Amount | None = None
    """Length of the window."""
    compute_us: Amount | None = None
    """Time with a kernel active, |U(K)|."""
    copies_us: Amount | None = None
    """Time with a copy active, |U(M)|."""
    overlap_us: Amount | None = None
    """Time with both active, |U(K) ∩ U(M)|."""
    concurrent_copies_us: Amount | None = None
    """Time with two or more copies active."""
    shorter_direction_us: Amount | None = None
    """The smaller of the host-to-device and device-to-host durations."""
    concurrent_kernels_us: Amount | None = None
    """Time with two or more kernels active."""
    exposed_copies_us: Amount | None = None
    """Time with a copy and no kernel active."""
    exposed_communication_us: Amount | None = None
    """Time with a collective and no other kernel active."""
    idle_us: Amount | None = None
    """Time with nothing active."""
    memcpy: dict[CopyKind, Copies] | None = None
    """Copies by kind."""
    small_copies: SmallCopies | None = None
    """Copies too small to use the link well."""
    kernels: tuple[Kernel, ...] | None = None
    """Kernels by name, longest in sum first."""


class Block(Section, frozen=True):
    """One module of the network, in a pass of its own; never part of a step's time."""

    path: str
    """The module's path."""
    kind: str | None = None
    """The module's class."""
    forward_us: Amount | None = None
    """Forward time in a step, that of the modules within it included; median of a few steps."""
    backward_us: Amount | None = None
    """Backward time in a step, likewise."""
    activation_bytes: Count | None = None
    """Bytes of the tensors that it returns in a step."""


class Ddp(Section, frozen=True):
    """Data-parallel training: what the all-reduce cost, and how much of it was hidden."""

    world: Positive
    """Number of processes."""
    backend: str | None = None
    """What carried the messages."""
    bucket_cap_bytes: Count | None = None
    """Largest bucket of gradients."""
    blocking_us: Amount | None = None
    """A step with the all-reduce after backward."""
    overlapped_us: Amount | None = None
    """A step with the all-reduce during backward."""
    no_sync_us: Amount | None = None
    """A step without all-reduce."""
    communication_us: Amount | None = None
    """Time of the all-reduces of a step."""
    overlap_us: Amount | None = None
    """How much of it ran during backward."""
