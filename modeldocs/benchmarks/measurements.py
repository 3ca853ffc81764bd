"""The sections of a record that hold measured quantities.

All are raw: bytes, microseconds (`_us`), milliseconds for step times (`_ms`), millijoules. Ratios
are not stored, but derived by `metrics`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from modeldocs.benchmarks.metadata import Amount, Count, Positive, Section

P99_LEAST = 662
"""Minimum of steps for a 99th percentile."""

CopyKind = Literal["HtoD", "DtoH", "DtoD", "P2P", "HtoH"]


class StepTimes(Section, frozen=True):
    """Milliseconds per step. The statistics are over all `n` steps, not only those in `samples`."""

    samples: tuple[tuple[Amount, ...], ...]
    """Times of steps in the order in which they ran, one list for each process."""
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
    """99th percentile; only of 662 steps or more."""
    every: Positive = 1
    """`samples` keeps the first and every so-many-th step after it."""

    def __post_init__(self) -> None:
        if self.p99 is not None and self.n < P99_LEAST:
            raise ValueError(f"p99 of {self.n} samples, which needs at least {P99_LEAST}")


class Throughput(Section, frozen=True):
    """The timed steps as a whole, all processes summed."""

    samples: Positive
    """Samples (images, sequences) processed."""
    wall_us: Amount
    """Wall time of these steps."""


class Phase(Section, frozen=True):
    """A part of each step."""

    name: Literal["forward", "backward"]
    """The part."""
    mean_ms: Amount
    """Mean time in milliseconds."""
    samples_ms: tuple[Amount, ...] | None = None
    """Times of the steps in milliseconds, in the order in which they ran."""


class MemoryPeaks(Section, frozen=True):
    """Peaks of memory of a process that runs a few steps without timing them."""

    peak_rss_bytes: Count | None = None
    """Peak host memory of the process, the framework included."""
    start_rss_bytes: Count | None = None
    """Peak host memory after the framework was imported, before the model was built."""
    peak_allocated_bytes: Count | None = None
    """Peak device memory in tensors."""
    peak_reserved_bytes: Count | None = None
    """Peak device memory reserved by the framework's allocator."""


class Energy(Section, frozen=True):
    """Energy of the device over a window of whole steps."""

    energy_mj: Amount
    """Energy in millijoules."""
    window_us: Amount
    """Length of the window."""
    steps: Positive
    """Steps in the window."""
    source: str
    """The energy counter."""


class Flops(Section, frozen=True):
    """Floating-point operations of the model."""

    per_step: Count
    """Operations of one step at the run's batch, 2 for each multiply-accumulate."""
    counter: str
    """The tool that counted them, and the operators that it counts."""


class Peaks(Section, frozen=True):
    """Rates that the device reaches in a test of its own, for comparison with the model's."""

    flops: Amount | None = None
    """Operations of the test with the highest rate, in the run's precision."""
    flops_us: Amount | None = None
    """Shortest time of that test."""
    copied_bytes: Amount | None = None
    """Bytes read and written by a large copy within the device's memory."""
    copied_us: Amount | None = None
    """Shortest time of that copy."""
    method: str | None = None
    """Sizes and repetitions."""


class Copies(Section, frozen=True):
    """Copies of one kind."""

    n: Count | None = None
    """Number of copies."""
    bytes: Count | None = None
    """Sum of their sizes."""
    us: Amount | None = None
    """Sum of their durations."""


class SmallCopies(Section, frozen=True):
    """Copies below a threshold of size."""

    threshold_bytes: Count | None = None
    """The threshold; null where the tool does not state its own."""
    bytes: Count | None = None
    """Sum of their sizes."""
    us: Amount | None = None
    """Sum of their durations."""
    all_us: Amount | None = None
    """Sum of the durations of all copies, small and large."""


class Kernel(Section, frozen=True):
    """All launches of one kernel."""

    name: str
    """Name in the trace."""
    n: Count | None = None
    """Number of launches."""
    us: Amount | None = None
    """Sum of their durations."""
    occupancy: Annotated[float, Meta(ge=0, le=1)] | None = None
    """Achieved or estimated occupancy, 0 to 1, averaged by duration."""


class IdleCauses(Section, frozen=True):
    """Idle time of a device by what the host did meanwhile; the parts add up to it."""

    input_us: Amount | None = None
    """The host waited for the next batch of the input pipeline."""
    synchronisation_us: Amount | None = None
    """Not that, and the gap began while the host waited for the device: blocking calls."""
    launch_us: Amount | None = None
    """Neither, and the gap ended with an event that was launched after it had begun."""
    other_us: Amount | None = None
    """The rest; its cause is another, or the trace does not show it."""


class Gpu(Section, frozen=True):
    """Activity of one device in a window, from a trace.

    K are kernels, M memory copies, C collective kernels; U is the union of their intervals.
    """

    window_us: Amount | None = None
    """Length of the window; in a trace from the start of the first event to the last end."""
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
    """Time with a copy or a memset and no kernel active."""
    exposed_communication_us: Amount | None = None
    """Time with a collective and no other kernel active."""
    idle_us: Amount | None = None
    """Time with nothing active."""
    launch_bound_us: Amount | None = None
    """Idle time that ended with an event that was launched after it had begun."""
    idle_causes: IdleCauses | None = None
    """The idle time by cause; null where the trace tells nothing of the host."""
    memcpy: dict[CopyKind, Copies] | None = None
    """Copies by kind."""
    small_copies: SmallCopies | None = None
    """Copies too small to use the link's bandwidth."""
    kernels: tuple[Kernel, ...] | None = None
    """Kernels by name, those with the longest total time first."""


class HostOperator(Section, frozen=True):
    """All calls of one operator on the host's processor, from a trace."""

    name: str
    """Name in the trace."""
    n: Amount | None = None
    """Mean calls per step; calls in all of an imported trace that marks no steps, whose
    `run.iterations` is null."""
    self_us: Amount | None = None
    """Mean time per step in it, likewise, without the operators that it calls."""


class Block(Section, frozen=True):
    """One module of the network, measured apart from the timed steps."""

    path: str
    """The module's path; the empty path is the whole network."""
    kind: str | None = None
    """The module's class."""
    forward_us: Amount | None = None
    """Forward time per step, including the modules inside it; median of a few steps."""
    backward_us: Amount | None = None
    """Backward time per step, likewise."""
    activation_bytes: Count | None = None
    """Bytes of the tensors that it returns per step."""
    layer: str | None = None
    """Id of the port's layer that it was matched with, where the source names layers itself."""
