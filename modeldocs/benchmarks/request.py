"""What a run is asked to measure, and what its processes say to each other."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from modeldocs.benchmarks import quantities
from modeldocs.benchmarks import sections as part
from modeldocs.errors import Failure
from modeldocs.loaders import LoadRequest
from modeldocs.struct import Struct

Precision = Literal["float32", "bfloat16", "float16"]
Work = Literal["inference", "training"]
Pass = Literal["timing", "blocks", "memory", "peaks"]

_AtLeastOne = Annotated[int, Meta(ge=1)]
_NotNegative = Annotated[float, Meta(ge=0)]


class BenchRequest(Struct, frozen=True):
    """One run of `modeldocs bench run`.

    `model` and `port` are catalog ids. `command` is what the user typed, told in the record.
    `device` is `cpu`, `cuda` or `cuda:1`. A timing process warms up for at least `warmup_steps`
    and `warmup_seconds`, then times at least `steps` and `seconds`. `threads` None leaves the
    framework's own choice. `timeout` is in seconds, for each process.
    """

    load: LoadRequest
    model: str
    port: str
    command: str
    framework: str = "pytorch"
    task: Work = "inference"
    batch: _AtLeastOne = 1
    precision: Precision = "float32"
    device: Annotated[str, Meta(pattern=r"^(cpu|cuda(:[0-9]+)?)$")] = "cpu"
    threads: _AtLeastOne | None = None
    processes: _AtLeastOne = 3
    warmup_steps: _AtLeastOne = 10
    warmup_seconds: _NotNegative = 2.0
    steps: _AtLeastOne = 50
    seconds: _NotNegative = 10.0
    block_steps: _AtLeastOne = 5
    peaks: bool = True
    """Whether to measure what the device itself reaches, which takes some seconds."""
    tag: str | None = None
    timeout: float = 3600.0


class Task(Struct, frozen=True):
    """What one process is to do: one pass of a request, its outcome written to `result`."""

    request: BenchRequest
    measure: Pass
    result: str


class Facts(Struct, frozen=True):
    """What the framework's process knows of the subject and its surroundings."""

    device: part.Device
    software: part.Software
    numerics: part.Numerics
    params: int
    input_shapes: dict[str, tuple[int, ...]]


class Timing(Struct, frozen=True):
    """One timing process: milliseconds a step, and how it warmed up."""

    step_ms: tuple[float, ...]
    wall_us: float
    warmup_steps: int
    warmup_us: float
    timer: str
    sync: str
    device_ms: tuple[float, ...] | None = None


class Outcome(Struct, frozen=True):
    """What a process found; the fields of other passes are None."""

    failure: Failure | None = None
    facts: Facts | None = None
    timing: Timing | None = None
    blocks: tuple[quantities.Block, ...] | None = None
    flops: quantities.Flops | None = None
    memory: quantities.Memory | None = None
    energy: quantities.Energy | None = None
    peaks: quantities.Peaks | None = None
