"""The request of a benchmark run, and the messages between its processes."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.errors import Failure
from modeldocs.loaders import LoadRequest
from modeldocs.struct import Struct

ElementType = Literal["float32", "bfloat16", "float16"]
Precision = Literal[ElementType, "tf32"]
Work = Literal["inference", "training"]
Pass = Literal["timing", "trace", "memory", "peaks"]

_AtLeastOne = Annotated[int, Meta(ge=1)]
_NotNegative = Annotated[float, Meta(ge=0)]


class BenchRequest(Struct, frozen=True):
    """One run of `modeldocs bench run`.

    `model` and `port` are ids of the catalog. `command` is the user's command, for the record.
    `device` is `cpu`, `cuda` or `cuda:1`. A timing process warms up for at least `warmup_steps`
    and `warmup_seconds`, then times at least `steps` and `seconds`. With `threads` None the
    framework chooses their number. `timeout` is in seconds, for each process.
    """

    load: LoadRequest
    model: str
    port: str
    command: str
    framework: str = "pytorch"
    task: Work = "inference"
    batch: _AtLeastOne = 1
    precision: Precision = "float32"
    compile: bool = False
    """Whether the framework compiles the whole model before it runs."""
    device: Annotated[str, Meta(pattern=r"^(cpu|cuda(:[0-9]+)?)$")] = "cpu"
    threads: _AtLeastOne | None = None
    processes: _AtLeastOne = 3
    warmup_steps: _AtLeastOne = 10
    warmup_seconds: _NotNegative = 2.0
    steps: _AtLeastOne = 50
    seconds: _NotNegative = 10.0
    trace_steps: _AtLeastOne = 5
    peaks: bool = True
    """Whether to measure the peak rates of the device, which takes some seconds."""
    tag: str | None = None
    timeout: float = 3600.0

    @property
    def dtype(self) -> ElementType:
        """The element type of parameters, inputs and activations."""
        return element_type(self.precision)


def element_type(precision: Precision) -> ElementType:
    """The element type of a precision: TF32 is a way of multiplying values of float32."""
    return "float32" if precision == "tf32" else precision


class PassTask(Struct, frozen=True):
    """The task of one process: one pass of a request."""

    request: BenchRequest
    measure: Pass


class Facts(Struct, frozen=True):
    """What a framework's process reports of the model, the device and the software."""

    device: part.Device
    software: part.Software
    numerics: part.Numerics
    params: int | None
    input_shapes: dict[str, tuple[int, ...]]


class ProcessTiming(Struct, frozen=True):
    """The result of one timing process: milliseconds per step, and its warm-up."""

    step_ms: tuple[float, ...]
    wall_us: float
    warmup_steps: int
    warmup_us: float
    timer: str
    sync: str
    device_ms: tuple[float, ...] | None = None


class PassOutcome(Struct, frozen=True):
    """The result of a process; fields of other passes are None."""

    failure: Failure | None = None
    facts: Facts | None = None
    device_after: part.Device | None = None
    timing: ProcessTiming | None = None
    blocks: tuple[measurements.Block, ...] | None = None
    host_operators: tuple[measurements.HostOperator, ...] | None = None
    gpu: measurements.Gpu | None = None
    flops: measurements.Flops | None = None
    memory: measurements.MemoryPeaks | None = None
    energy: measurements.Energy | None = None
    peaks: measurements.Peaks | None = None
