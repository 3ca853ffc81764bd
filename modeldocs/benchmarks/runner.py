"""One benchmark run: its passes, each in a fresh process, put together as a record."""

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
"""The module of each framework that can be measured."""

_KEPT = ("LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TMPDIR")
_KEPT_PREFIXES = ("CUDA_", "GOMP_", "KMP_", "LC_", "LANG", "MKL_", "NVIDIA_", "OMP_")


def run(request: BenchRequest, *, progress: Callable[[str], None]) -> Record:
    """Measure a port. `progress` is told in a few words what is being done.

    Raises:
        ModeldocsError: the port cannot be built or run, its process died, or took too long; or
            its framework cannot be measured.
    """
    if request.framework not in RUNNERS:
        raise ModeldocsError(
            f"ports of {request.framework} cannot be measured",
            fix=f"measure a port of {' or '.join(sorted(RUNNERS))}, or import its figures",
        )
    timed = []
    for number in range(1, request.processes + 1):
        progress(f"timing, process {number} of {request.processes}")
        timed.append(_measure(request, "timing"))
    progress("time of each block")
    blocks = _measure(request, "blocks")
    progress("memory")
    memory = _measure(request, "memory")
    peaks = None
    if request.peaks:
        progress("peaks of the device")
        peaks = _measure(request, "peaks").peaks
    return _record(request, timed, blocks, memory, peaks)


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
    named = request.load.source
    try:
        done = subprocess.run(
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
            file=named,
            fix="measure a smaller --batch, or raise --timeout",
        ) from None
    if done.returncode != 0 or not Path(task.result).exists():
        raise _death(task, named, done.returncode, done.stderr)


def _death(task: Task, file: str | None, code: int, errors: bytes) -> ModeldocsError:
    said = errors.decode(errors="replace").strip().splitlines()
    if code == -9:
        reason, fix = "was killed, most likely for its memory", "measure a smaller --batch"
    elif code < 0:
        reason, fix = f"crashed with signal {-code}", "run the model by itself, and correct it"
    else:
        reason = f"ended with code {code}" + (f": {said[-1][:300]}" if said else "")
        fix = "see that the framework can be imported: `modeldocs doctor`"
    return ModeldocsError(f"the process of the {task.measure} pass {reason}", file=file, fix=fix)


def _environment(home: Path) -> dict[str, str]:
    """What the process needs and no more, since it runs the port's code."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    package = str(Path(__file__).resolve().parents[2])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _record(
    request: BenchRequest,
    timed: list[Outcome],
    blocks: Outcome,
    memory: Outcome,
    peaks: quantities.Peaks | None,
) -> Record:
    timings = [outcome.timing for outcome in timed if outcome.timing is not None]
    facts = [outcome.facts for outcome in timed if outcome.facts is not None]
    step_ms = summarise([timing.step_ms for timing in timings])
    events = [timing.device_ms for timing in timings if timing.device_ms is not None]
    made = Record(
        model=_model(request, facts[0]),
        run=_run(request, facts[0]),
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
    return msgspec.structs.replace(made, notes=tuple(warnings(made)))


def warnings(record: Record) -> list[str]:
    """What a reader must know before quoting the figures: signs of a disturbed measurement."""
    notes = spread_notes(record.step_ms) if record.step_ms is not None else []
    reached = metrics.mfu(record)
    if reached is not None and reached > 1:
        notes.append(
            f"The model reached {reached:.2f} times what the device did in its own test, so the "
            "test was disturbed, or slower code than the model's: no utilisation can be told."
        )
    return notes


def _model(request: BenchRequest, facts: Facts) -> part.Model:
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


def _run(request: BenchRequest, facts: Facts) -> part.Run:
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
"""Everything in a repository but its records, as git's pathspecs say it."""


def revision(file: Path) -> tuple[str | None, bool | None]:
    """Commit of the file's repository, and whether the file or any tracked one differs from it.

    Records do not count: one run of several leaves them changed, and they change no run. Both
    are None outside a repository, or in one without commits.
    """
    commit = _git(file.parent, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return None, None
    tracked = _git(file.parent, "status", "--porcelain", "--untracked-files=no", "--", *_SOURCES)
    itself = _git(file.parent, "status", "--porcelain", "--", file.name)
    return commit, bool(tracked or itself)


def _git(folder: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _device(facts: list[Facts]) -> part.Device:
    """As the first process found it, and as the last one left it."""
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
