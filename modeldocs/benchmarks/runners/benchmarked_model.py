"""The subject of a measurement: a port with synthetic inputs, of which single steps can run."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.activity.host import MAX_OPERATORS
from modeldocs.benchmarks.request import BenchRequest, Facts
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import samples
from modeldocs.loaders.python_source import port_errors
from modeldocs.struct import Struct

LEARNING_RATE = 1e-6
"""Small enough that random weights stay finite over any number of steps."""

Shapes = dict[str, tuple[int, ...]]


class StepProfile(Struct, frozen=True):
    """Where the time of a step goes: by module, by operator of the host, on the device."""

    blocks: tuple[measurements.Block, ...] | None = None
    host_operators: tuple[measurements.HostOperator, ...] | None = None
    gpu: measurements.Gpu | None = None
    flops: measurements.Flops | None = None


class BenchmarkedModel(ABC):
    """A port on its device.

    `shapes` are the inputs' shapes by name, including the batch; `params` is the number of
    trainable values, None where the source does not tell which are.
    """

    timer = "time.perf_counter"
    sync = "none needed"
    shapes: Shapes
    params: int | None

    def __init__(self, request: BenchRequest, *, sequential: bool = False) -> None:  # noqa: ARG002
        """Build the port; with `sequential` its operators run one after another.

        Raises:
            ModeldocsError: the port or the device cannot do what is asked.
        """
        if request.precision == "tf32" and request.device == "cpu":
            raise ModeldocsError(
                "processors have no TF32", fix="measure --precision float32, or --device cuda"
            )
        self.request = request
        self.training = request.task == "training"

    @abstractmethod
    def step(self) -> None:
        """Run one step of the task; a device may not have finished it on return.

        Raises:
            ModeldocsError: the model raised an exception, or memory ran out.
        """

    def wait(self) -> None:  # noqa: B027
        """Wait until the device has finished all work."""

    def timed_step(self) -> tuple[float, float | None]:
        """Run one step until the device has finished it.

        Returns its wall time in milliseconds, and the time between two events on the device.
        """
        before = time.perf_counter()
        self.step()
        self.wait()
        return (time.perf_counter() - before) * 1e3, None

    @abstractmethod
    def facts(self) -> Facts:
        """The device, the software and the settings that the steps run with."""

    def device_after(self, device: part.Device) -> part.Device:
        """The device with its state after the timed steps."""
        return device

    @abstractmethod
    def attribute(self, steps: int) -> StepProfile:
        """Where the time of a step goes, measured in so many steps."""

    def device_memory(self) -> tuple[int | None, int | None]:
        """Peak bytes of tensors, and of the allocator, on the device."""
        return None, None

    def energy(self, seconds: float) -> measurements.Energy | None:  # noqa: ARG002
        """Energy of the device over at least so many seconds of steps."""
        return None

    def run(self, work: Callable[[], Any]) -> Any:
        """The result of `work`, which runs the port's own code.

        Raises:
            ModeldocsError: it raised an exception, or memory ran out.
        """
        try:
            return work()
        except Exception as error:
            raise failure(self.request, error) from None


def batched(shape: tuple[int, ...], batch: int) -> tuple[int, ...]:
    """The shape with the batch as size of its first axis."""
    return (batch, *shape[1:]) if shape else shape


def synthetic(name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """An input of random numbers; integers are 0 or 1, which are rows of any table."""
    values = samples.sample(name, shape, dtype)
    return values % 2 if values.dtype.kind in "iu" else values


def random_weights(name: str, shape: tuple[int, ...], summed: int) -> np.ndarray:
    """Values that keep activations finite: vectors lie between 0.5 and 1.5, and others are scaled
    by `summed`, the number of products in a sum.
    """
    random = samples.seeded(name)
    if len(shape) < 2:
        return random.uniform(0.5, 1.5, shape)
    return random.standard_normal(shape, np.float32) / math.sqrt(max(1, summed))


def host_operators(
    times: dict[str, tuple[int, float]], steps: int
) -> tuple[measurements.HostOperator, ...]:
    """Operators by name with their calls and microseconds in all `steps`, as a record has them."""
    ordered = sorted(times.items(), key=lambda item: -item[1][1])[:MAX_OPERATORS]
    return tuple(
        measurements.HostOperator(
            name=name, n=round(calls / steps, 2), self_us=round(us / steps, 2)
        )
        for name, (calls, us) in ordered
    )


def failure(request: BenchRequest, error: Exception) -> ModeldocsError:
    """An exception of a model as a `ModeldocsError` with the line of the port's source."""
    if isinstance(error, ModeldocsError):
        return error
    located = port_errors.failure(request.load, error, f"running it at batch {request.batch}")
    if _out_of_memory(error):
        return ModeldocsError(
            f"ran out of memory at batch {request.batch} in {request.precision}",
            file=located.file,
            line=located.line,
            fix="measure a smaller --batch",
        )
    return ModeldocsError(
        located.reason,
        file=located.file,
        line=located.line,
        fix="run the model alone at this batch and precision, and correct it",
    )


def _out_of_memory(error: Exception) -> bool:
    message = str(error).lower()
    phrases = ("out of memory", "not enough memory", "can't allocate memory", "oom when")
    kinds = ("OutOfMemoryError", "ResourceExhaustedError", "MemoryError")
    return type(error).__name__ in kinds or any(phrase in message for phrase in phrases)
