"""Benchmark records on a page: a chart, and a table in which each number has its provenance."""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import join

from modeldocs import spelling
from modeldocs.benchmarks import chart, metrics
from modeldocs.benchmarks.panel import Panel, latest
from modeldocs.benchmarks.quantities import Copies
from modeldocs.benchmarks.record import Record
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import Recorded


def section(recorded: Sequence[Recorded], panel: Panel, templates: Templates, folder: str) -> str:
    """The records as HTML, their files linked in `folder`; empty where there are none."""
    held = [(join(folder, item.file), item.record) for item in recorded if item.record]
    if not held:
        return ""
    rate = metrics.samples_per_second
    return templates.html(
        "records", records=held, chart=panel.throughput, rate=rate, figures=figures
    )


def profile(recorded: Sequence[Recorded], panel: Panel, templates: Templates) -> str:
    """Where the time of the latest record goes: its steps, and its blocks."""
    last = latest([item.record for item in recorded if item.record])
    if last is None:
        return ""
    charts = [drawn for drawn in (panel.steps, panel.blocks) if drawn]
    return templates.html("profile", record=last, label=chart.label(last), charts=charts)


def figures(record: Record) -> list[tuple[str, str]]:
    """What a record without timed steps tells of its device: derived first, then as printed."""
    gpu, told = record.gpu, []
    if gpu is not None:
        derived = (
            ("compute / memcpy efficiency", metrics.compute_copy_efficiency(gpu), "{:.3f}"),
            ("memcpy / compute overlap", metrics.copy_compute_overlap(gpu), "{:.1%}"),
            ("memcpy overlap", metrics.copy_overlap(gpu), "{:.1%}"),
            ("compute utilisation", metrics.compute_utilisation(gpu), "{:.1%}"),
            ("idle", metrics.idle_share(gpu), "{:.1%}"),
        )
        told = [(name, form.format(value)) for name, value, form in derived if value is not None]
        for kind, copies in (gpu.memcpy or {}).items():
            told.append((f"memcpy {kind}", _copies(copies)))
    printed = record.provenance.figures if record.provenance else ()
    return told + [
        (f"{f.name}, as printed", f"{f.value:,.6g} {f.unit}".removesuffix(" 1")) for f in printed
    ]


def _copies(copies: Copies) -> str:
    parts = [
        f"{copies.n:,} copies" if copies.n is not None else "",
        spelling.count(copies.bytes, "B") if copies.bytes is not None else "",
        f"{copies.us / 1000:.4g} ms" if copies.us is not None else "",
    ]
    return ", ".join(part for part in parts if part)
