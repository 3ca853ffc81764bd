"""The record of a measured run, made of the outcomes of its passes."""

from __future__ import annotations

import datetime
from pathlib import Path

import msgspec

from modeldocs.benchmarks import machine, measurements, metrics, revision
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.request import BenchRequest, Facts, PassOutcome, ProcessTiming
from modeldocs.benchmarks.summary import spread_notes, summarise


def record_of(
    request: BenchRequest,
    outcomes: list[PassOutcome],
    trace: PassOutcome,
    memory: PassOutcome,
    peaks: measurements.Peaks | None,
) -> Record:
    """The record of timing processes, and of the passes of trace, memory and peaks."""
    timings = [outcome.timing for outcome in outcomes if outcome.timing is not None]
    facts = [outcome.facts for outcome in outcomes if outcome.facts is not None]
    step_ms = summarise([timing.step_ms for timing in timings])
    events = [timing.device_ms for timing in timings if timing.device_ms is not None]
    record = Record(
        model=model_section(request, facts[0]),
        run=run_section(request, facts[0], trace),
        device=_device(facts[0].device, outcomes[-1].device_after),
        host=machine.host(),
        software=facts[0].software,
        numerics=facts[0].numerics,
        method=_method(timings),
        step_ms=step_ms,
        device_ms=summarise(events) if events else None,
        throughput=measurements.Throughput(
            samples=request.batch * step_ms.n,
            wall_us=round(sum(timing.wall_us for timing in timings), 1),
        ),
        memory=memory.memory,
        energy=memory.energy,
        flops=trace.flops,
        peaks=peaks,
        gpu=trace.gpu,
        blocks=trace.blocks,
        host_operators=trace.host_operators,
    )
    return msgspec.structs.replace(record, notes=tuple(warnings(record)))


def warnings(record: Record) -> list[str]:
    """Notes on signs of a disturbed measurement, for readers who quote a figure."""
    notes = spread_notes(record.step_ms) if record.step_ms is not None else []
    mfu = metrics.mfu(record)
    if mfu is not None and mfu > 1:
        notes.append(
            f"The model ran {mfu:.2f} times as fast as the device's own test, which was disturbed "
            "or runs slower code: the utilisation is not meaningful."
        )
    return notes


def model_section(request: BenchRequest, facts: Facts) -> part.MeasuredModel:
    """What was measured."""
    source = Path(request.load.path) if request.load.path else None
    return part.MeasuredModel(
        id=request.model,
        port=request.port,
        source_hash=revision.source_hash(source) if source is not None else None,
        params=facts.params,
    )


def run_section(
    request: BenchRequest, facts: Facts, trace: PassOutcome | None = None
) -> part.RunOptions:
    """The options of the run, with the revision of the source and the steps of its trace."""
    path = request.load.path
    commit, dirty = revision.revision(Path(path)) if path else (None, None)
    return part.RunOptions(
        date=datetime.date.today().isoformat(),
        task=request.task,
        batch=request.batch,
        input_shapes=facts.input_shapes,
        synthetic_input=True,
        iterations=request.trace_steps if trace is not None and trace.gpu is not None else None,
        command=request.command,
        commit=commit,
        dirty=dirty,
        tag="-".join(filter(None, ["compiled" if request.compile else None, request.tag])) or None,
    )


def _device(before: part.Device, after: part.Device | None) -> part.Device:
    """The device with its state before the first process and after the last one."""
    if after is None:
        return before
    return msgspec.structs.replace(
        before,
        clocks_after=after.clocks_after,
        temperature_after_c=after.temperature_after_c,
        throttle_reasons=after.throttle_reasons,
    )


def _method(timings: list[ProcessTiming]) -> part.Method:
    return part.Method(
        timer=timings[0].timer,
        warmup_steps=min(timing.warmup_steps for timing in timings),
        warmup_us=round(min(timing.warmup_us for timing in timings), 1),
        steps=sum(len(timing.step_ms) for timing in timings),
        processes=len(timings),
        sync=timings[0].sync,
    )
