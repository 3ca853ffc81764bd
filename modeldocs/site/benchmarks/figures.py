"""Figures of the device in a record, as names and values."""

from __future__ import annotations

from modeldocs import spelling
from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.quantities import Copies
from modeldocs.benchmarks.record import Record


def figures(record: Record) -> list[tuple[str, str]]:
    """Name and value of a record's device figures: derived ones, then those of its source."""
    gpu, derived = record.gpu, []
    if gpu is not None:
        ratios = (
            ("compute / memcpy efficiency", metrics.compute_copy_efficiency(gpu), "{:.3f}"),
            ("memcpy / compute overlap", metrics.copy_compute_overlap(gpu), "{:.1%}"),
            ("memcpy overlap", metrics.copy_overlap(gpu), "{:.1%}"),
            ("compute utilisation", metrics.compute_utilisation(gpu), "{:.1%}"),
            ("idle", metrics.idle_share(gpu), "{:.1%}"),
        )
        derived = [(name, form.format(value)) for name, value, form in ratios if value is not None]
        for kind, copies in (gpu.memcpy or {}).items():
            derived.append((f"memcpy {kind}", _copies(copies)))
    printed = record.provenance.figures if record.provenance else ()
    return derived + [
        (f"{f.name}, as printed", f"{f.value:,.6g} {f.unit}".removesuffix(" 1")) for f in printed
    ]


def _copies(copies: Copies) -> str:
    parts = [
        f"{copies.n:,} copies" if copies.n is not None else "",
        spelling.count(copies.bytes, "B") if copies.bytes is not None else "",
        f"{copies.us / 1000:.4g} ms" if copies.us is not None else "",
    ]
    return ", ".join(part for part in parts if part)
