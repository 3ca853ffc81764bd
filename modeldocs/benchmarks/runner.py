"""A benchmark run: its passes, each in a process of its own, and the record made of them."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from modeldocs import digest
from modeldocs.benchmarks import machine, metrics, quantities
from modeldocs.benchmarks import sections as part
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.request import BenchRequest, Facts, Outcome, Pass, Task, Timing
from modeldocs.benchmarks.summary import spread_notes, summarise
from modeldocs.errors import ModeldocsError

RUNNERS = {"pytorch": "modeldocs.benchmarks.runners.pytorch"}
"""Module that measures the ports of a framework."""

_VARIABLES = ("LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TMPDIR")
_VARIABLE_PREFIXES = ("CUDA_", "GOMP_", "KMP_", "LC_", "LANG", "MKL_", "NVIDIA_", "OMP_")


def run(request: BenchRequest, *, progress: Callable[[str], None]) -> Record:
    """Measure a port; `progress` is called with the name of each step.

    Raises:
        ModeldocsError: the port cannot be built or run, a process died or exceeded its time, or
            ports of the framework cannot be measured.
    """
    if request.framework not in RUNNERS:
        raise ModeldocsError(
            f"ports of {request.framework} cannot be measured",
            fix=f"measure a port of {' or '.join(sorted(RUNNERS))}, or import its figures",
        )
    timings = []
    for number in range(1, request.processes + 1):
        progress(f"timing, process {number} of {request.processes}")
        timings.append(_measure(request, "timing"))
    progress("time of each block")
    blocks = _measure(request, "blocks")
    progress("memory")
    memory = _measure(request, "memory")
    peaks = None
    if request.peaks:
        progress("peaks of the device")
        peaks = _measure(request, "peaks").peaks
    return _record(request, timings, blocks, memory, peaks)


def _measure(request: BenchRequest, measure: Pass) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="modeldocs-bench-") as folder:
        task = Task(request=request, measure=measure, result=str(Path(folder, "outcome.json")))
        file = Path(folder, "task.json")
        file.write_bytes(msgspec.json.encode(task))
        _run_process(task, file)
        outcome = msgspec.json.decode(Path(task.result).read_bytes(), type=Outcome)
    if outcome.failure is not None:
        raise outcome.failure.error()
    return outcome


def _run_process(task: Task, file: Path) -> None:
    request = task.request
    command = [sys.executable, "-m", RUNNERS[request.framework], str(file)]
    source = request.load.source
    try:
        process = subprocess.run(
            command,
            env=_environment(file.parent),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=request.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ModeldocsError(
            f"the {task.measure} pass took longer than {request.timeout:g} s",
            file=source,
            fix="measure a smaller --batch",
        ) from None
    if process.returncode != 0 or not Path(task.result).exists():
        raise _process_error(task, source, process.returncode, process.stderr)


def _process_error(task: Task, file: str | None, code: int, stderr: bytes) -> ModeldocsError:
    lines = stderr.decode(errors="replace").strip().splitlines()
    if code == -9:
        reason, fix = "was killed, probably because memory ran out", "measure a smaller --batch"
    elif code < 0:
        reason, fix = f"crashed with signal {-code}", "run the model alone, and correct it"
    else:
        reason = f"ended with code {code}" + (f": {lines[-1][:300]}" if lines else "")
        fix = "check with `modeldocs doctor` that the framework is installed"
    return ModeldocsError(f"the process of the {task.measure} pass {reason}", file=file, fix=fix)


def _environment(home: Path) -> dict[str, str]:
    """The environment variables that the process needs; no others, since it runs foreign code."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if name in _VARIABLES or name.startswith(_VARIABLE_PREFIXES)
    }
    package = str(Path(__file__).resolve().parents[2])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **variables,
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _record(
    request: BenchRequest,
    outcomes: list[Outcome],
    blocks: Outcome,
    memory: Outcome,
    peaks: quantities.Peaks | None,
) -> Record:
    timings = [outcome.timing for outcome in outcomes if outcome.timing is not None]
    facts = [outcome.facts for outcome in outcomes if outcome.facts is not None]
    step_ms = summarise([timing.step_ms for timing in timings])
    events = [timing.device_ms for timing in timings if timing.device_ms is not None]
    record = Record(
        model=model_section(request, facts[0]),
        run=run_section(request, facts[0]),
        device=_device(facts),
        host=machine.host(),
        software=facts[0].software,
        numerics=facts[0].numerics,
        method=_method(timings),
        step_ms=step_ms,
        device_ms=summarise(events) if events else None,
        throughput=quantities.Throughput(
            samples=request.batch * step_ms.n,
            wall_us=round(sum(timing.wall_us for timing in timings), 1),
        ),
        memory=memory.memory,
        energy=memory.energy,
        flops=blocks.flops,
        peaks=peaks,
        blocks=blocks.blocks,
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


def model_section(request: BenchRequest, facts: Facts) -> part.Model:
    """What was measured."""
    source = Path(request.load.path) if request.load.path else None
    return part.Model(
        id=request.model,
        port=request.port,
        source_hash=source_hash(source) if source is not None else None,
        params=facts.params,
    )


def source_hash(file: Path) -> str | None:
    """`blake2b:<hex>` of a file's bytes; None for a folder."""
    if not file.is_file():
        return None
    return f"blake2b:{digest.of_file(file)}"


def run_section(request: BenchRequest, facts: Facts) -> part.Run:
    """The options of the run, with the revision of the source."""
    commit, dirty = revision(Path(request.load.path)) if request.load.path else (None, None)
    return part.Run(
        date=datetime.date.today().isoformat(),
        task=request.task,
        batch=request.batch,
        input_shapes=facts.input_shapes,
        synthetic_input=True,
        command=request.command,
        commit=commit,
        dirty=dirty,
        tag=request.tag,
    )


_SOURCES = (":(top)", ":(top,exclude,glob)**/benchmarks/*.json")
"""Pathspecs of git for all files of a repository but its records."""


def revision(file: Path) -> tuple[str | None, bool | None]:
    """Commit of the file's repository, and whether the file or any tracked file differs from it.

    Changed records do not count: earlier runs write them, and they do not influence a run. Both
    values are None outside a repository and in one without commits.
    """
    commit = _git(file.parent, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return None, None
    tracked = _git(file.parent, "status", "--porcelain", "--untracked-files=no", "--", *_SOURCES)
    itself = _git(file.parent, "status", "--porcelain", "--", file.name)
    return commit, bool(tracked or itself)


def _git(folder: Path, *words: str) -> str | None:
    try:
        process = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return process.stdout.strip()


def _device(facts: list[Facts]) -> part.Device:
    """The device with its state before the first process and after the last one."""
    last = facts[-1].device
    return msgspec.structs.replace(
        facts[0].device,
        clocks_after=last.clocks_after,
        temperature_after_c=last.temperature_after_c,
        throttle_reasons=last.throttle_reasons,
    )


def _method(timings: list[Timing]) -> part.Method:
    return part.Method(
        timer=timings[0].timer,
        warmup_steps=min(timing.warmup_steps for timing in timings),
        warmup_us=round(min(timing.warmup_us for timing in timings), 1),
        steps=sum(len(timing.step_ms) for timing in timings),
        processes=len(timings),
        sync=timings[0].sync,
    )
