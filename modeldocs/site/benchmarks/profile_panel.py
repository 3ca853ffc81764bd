"""The profile panel of a record: what its trace tells of the device's time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from modeldocs import formatting
from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.copy_accounting import Audit
from modeldocs.benchmarks.measurements import Copies, Gpu, Kernel
from modeldocs.site.benchmarks import host_panel
from modeldocs.site.benchmarks.runs import ListedRun
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct

MAX_KERNELS = 15
"""Kernels that the panel lists."""


class DerivedFigure(Struct, frozen=True):
    """A derived figure: its formula, the numbers in it, its value, and a sentence of meaning."""

    name: str
    formula: str
    numbers: str
    value: str
    meaning: str


class CopyRow(Struct, frozen=True):
    """Copies of one kind, and their average throughput in bytes per second."""

    kind: str
    copies: Copies
    throughput: float | None


class WindowPart(Struct, frozen=True):
    """A part of the window in µs, and its share, 0 to 1."""

    name: str
    key: str
    us: float
    share: float


class KernelRow(Struct, frozen=True):
    """A kernel, and its share of the time of all kernels listed, 0 to 1."""

    kernel: Kernel
    share: float | None


class ProfilePanel(Struct, frozen=True):
    """All of it; a part without data is empty.

    `on_device` is whether a device other than the host's processor was traced.
    """

    title: str
    href: str
    on_device: bool
    window_us: float | None
    copies: tuple[CopyRow, ...]
    figures: tuple[DerivedFigure, ...]
    partition: tuple[WindowPart, ...]
    kernels: tuple[KernelRow, ...]
    more_kernels: int
    operators: host_panel.Operators | None = None
    idle: host_panel.Idle | None = None
    audit: Audit | None = None


def html(runs: Sequence[ListedRun], templates: Templates) -> str:
    """The panels of all runs that were traced, those of devices first; empty without any."""
    traced = [run for run in runs if run.record.gpu or run.record.host_operators]
    panels = [panel(run) for run in sorted(traced, key=lambda run: run.record.gpu is None)]
    return templates.html("profile_panels", panels=panels) if panels else ""


def panel(run: ListedRun) -> ProfilePanel:
    """The panel of one run."""
    gpu = run.record.gpu or Gpu()
    kernels = gpu.kernels or ()
    total = sum(kernel.us or 0.0 for kernel in kernels)
    of_run, framework = run.record.run, run.record.software.framework
    batch = f"batch {of_run.batch}" if of_run.batch is not None else ""
    words = (framework, run.record.device.name, of_run.task, batch, of_run.date)
    return ProfilePanel(
        title=", ".join(filter(None, words)),
        href=f"#{run.id}",
        on_device=run.record.gpu is not None,
        window_us=gpu.window_us,
        copies=tuple(
            CopyRow(kind=kind, copies=copies, throughput=metrics.copy_throughput(copies))
            for kind, copies in sorted((gpu.memcpy or {}).items(), key=lambda one: _longest(one[1]))
        ),
        figures=tuple(_figures(gpu)),
        partition=tuple(_partition(gpu)),
        kernels=tuple(
            KernelRow(kernel=one, share=one.us / total if one.us is not None and total else None)
            for one in kernels[:MAX_KERNELS]
        ),
        more_kernels=max(0, len(kernels) - MAX_KERNELS),
        operators=host_panel.operators(run.record),
        idle=host_panel.idle(run.record),
        audit=run.audit,
    )


def _longest(copies: Copies) -> float:
    return -(copies.us or 0.0)


def _figures(gpu: Gpu) -> Iterator[DerivedFigure]:
    """The figures whose numbers are known, in the order of NVIDIA's guided analysis."""
    shorter = _least(gpu.compute_us, gpu.copies_us)
    small = gpu.small_copies
    known: tuple[tuple[str, str, str, float | None, Callable[[float], str], str], ...] = (
        (
            "Compute / memcpy efficiency",
            "time with a kernel ÷ time with a copy",
            _quotient(gpu.compute_us, gpu.copies_us),
            metrics.compute_copy_efficiency(gpu),
            "{:.3f}".format,
            "Below 1 the device spends more time copying than computing.",
        ),
        (
            "Memcpy / compute overlap",
            "time with both ÷ the shorter of the two",
            _quotient(gpu.overlap_us, shorter),
            metrics.copy_compute_overlap(gpu),
            formatting.percent,
            "At 100 % copies hide behind kernels; near 0 one waits for the other.",
        ),
        (
            "Throughput of small copies",
            "bytes ÷ time of the copies below the threshold",
            _rate(small.bytes, small.us) if small else "",
            metrics.small_copy_throughput(gpu),
            _throughput,
            _small_copies(gpu),
        ),
        (
            "Memcpy overlap",
            "time with two copies ÷ the shorter direction",
            _quotient(gpu.concurrent_copies_us, gpu.shorter_direction_us),
            metrics.copy_overlap(gpu),
            formatting.percent,
            "Near 0 copies in the two directions wait for each other.",
        ),
        (
            "Compute utilisation",
            "time with a kernel ÷ window",
            _quotient(gpu.compute_us, gpu.window_us),
            metrics.compute_utilisation(gpu),
            formatting.percent,
            "The share of time with at least one kernel. It is what nvidia-smi prints as "
            "utilisation, and says nothing of how busy a kernel keeps the device.",
        ),
        (
            "Kernel concurrency",
            "time with two kernels ÷ time with a kernel",
            _quotient(gpu.concurrent_kernels_us, gpu.compute_us),
            metrics.kernel_concurrency(gpu),
            formatting.percent,
            "Near 0 kernels run one after another.",
        ),
        (
            "Idle",
            "time with nothing ÷ window",
            _quotient(gpu.idle_us, gpu.window_us),
            metrics.idle_share(gpu),
            formatting.percent,
            "The device waits: for the input, for the host, or for launches.",
        ),
        (
            "Launch-bound",
            "idle time that ends with a late launch ÷ window",
            _quotient(gpu.launch_bound_us, gpu.window_us),
            metrics.launch_bound_share(gpu),
            formatting.percent,
            "The device had nothing left to do, and the host had not launched what came next.",
        ),
    )
    for name, formula, numbers, value, spell, meaning in known:
        if value is not None:
            yield DerivedFigure(
                name=name, formula=formula, numbers=numbers, value=spell(value), meaning=meaning
            )


def _small_copies(gpu: Gpu) -> str:
    share = metrics.small_copy_share(gpu)
    part = f"They take {formatting.percent(share)} of all copy time. " if share is not None else ""
    return f"{part}Many small copies do not use the link's bandwidth."


def _partition(gpu: Gpu) -> Iterator[WindowPart]:
    """The window in parts that add up to it; empty where one of them is unknown."""
    window, compute = gpu.window_us, gpu.compute_us
    idle, copies = gpu.idle_us, gpu.exposed_copies_us
    if not window or compute is None or idle is None or copies is None:
        return
    communication = gpu.exposed_communication_us or 0.0
    parts = (
        ("compute", "compute", window - copies - communication - idle),
        ("exposed communication", "communication", communication),
        ("exposed copies", "copies", copies),
        ("idle", "idle", idle),
    )
    for name, key, us in parts:
        if us > 0:
            yield WindowPart(name=name, key=key, us=us, share=us / window)


def _least(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else min(one, other)


def _quotient(above: float | None, below: float | None) -> str:
    return (
        ""
        if above is None or below is None
        else f"{formatting.duration(above)} ÷ {formatting.duration(below)}"
    )


def _rate(size: float | None, us: float | None) -> str:
    return "" if size is None or us is None else f"{size:,.0f} B ÷ {formatting.duration(us)}"


def _throughput(rate: float) -> str:
    return f"{rate / 1e9:.3f} GB/s" if rate >= 1e9 else f"{rate / 1e6:.3f} MB/s"
