"""JSON of jcjohnson/cnn-benchmarks: times of every pass of a Torch7 network, in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, FormatMatch, LogFormat, Recording, with_fields
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import summarise
from modeldocs.errors import ModeldocsError

_FIELDS = ("forward_times", "total_times", "gpu_name", "opt", "cudnn_version")
_Seconds = Annotated[float, Meta(ge=0)]


class _CnnOptions(msgspec.Struct):
    model_t7: str
    batch_size: Annotated[int, Meta(ge=1)]
    image_height: int
    image_width: int


class _CnnRun(msgspec.Struct):
    gpu_name: str
    cudnn_version: str | int
    opt: _CnnOptions
    total_times: Annotated[list[_Seconds], Meta(min_length=1)]
    forward_times: list[_Seconds]
    backward_times: list[_Seconds] = []


def _fit(content: Content) -> FormatMatch:
    if not isinstance(content.json, dict):
        return NO
    return with_fields(content.json, _FIELDS, ["forward_times", "total_times"])


def _read(content: Content) -> Sequence[Recording]:
    try:
        run = msgspec.convert(content.json, _CnnRun)
    except msgspec.ValidationError as error:
        raise ModeldocsError(f"has a wrong field: {error}", file=content.path) from None
    options = run.opt
    shape = (options.batch_size, 3, options.image_height, options.image_width)
    is_cpu = run.gpu_name == "cpu"
    record = Record(
        model=part.MeasuredModel(id=options.model_t7),
        run=part.RunOptions(
            date="",
            task="forward-backward" if run.backward_times else "inference",
            batch=options.batch_size,
            input_shapes={"": shape},
        ),
        device=part.Device(name=run.gpu_name, kind="cpu" if is_cpu else "cuda"),
        host=part.Host(),
        software=part.Software(framework="Torch7", cudnn=_cudnn(str(run.cudnn_version))),
        numerics=part.Numerics(dtype="float32"),
        method=part.Method(steps=len(run.total_times), processes=1),
        step_ms=summarise([[seconds * 1e3 for seconds in run.total_times]]),
        phases=_phases(run),
        throughput=measurements.Throughput(
            samples=options.batch_size * len(run.total_times),
            wall_us=round(sum(run.total_times) * 1e6, 1),
        ),
    )
    return [Recording(record)]


def _cudnn(number: str) -> str:
    """`5110` is 5.1.10; `none` is a run without cuDNN."""
    if not number.isdecimal():
        return "not used"
    major, minor, patch = int(number) // 1000, int(number) // 100 % 10, int(number) % 100
    return f"{major}.{minor}.{patch}"


def _phases(run: _CnnRun) -> tuple[measurements.Phase, ...]:
    phases = []
    for name, times in (("forward", run.forward_times), ("backward", run.backward_times)):
        if times:
            samples = tuple(round(seconds * 1e3, 4) for seconds in times)
            mean = round(sum(samples) / len(samples), 4)
            phases.append(measurements.Phase(name=name, mean_ms=mean, samples_ms=samples))  # type: ignore[arg-type]
    return tuple(phases)


CNN_BENCHMARKS = LogFormat(name="cnn-benchmarks JSON", fit=_fit, read=_read)
