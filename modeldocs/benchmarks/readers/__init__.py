"""Readers of recorded figures: each format is recognised by a file's content."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from modeldocs.benchmarks.readers.asv import ASV
from modeldocs.benchmarks.readers.caffe_time import CAFFE_TIME
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import LogFormat, Recording
from modeldocs.benchmarks.readers.kineto import KINETO
from modeldocs.benchmarks.readers.nsight_sqlite import NSIGHT_SQLITE
from modeldocs.benchmarks.readers.nsys_stats import NSYS_STATS
from modeldocs.benchmarks.readers.nvprof import NVPROF
from modeldocs.benchmarks.readers.onnxruntime_profile import ONNXRUNTIME_PROFILE
from modeldocs.benchmarks.readers.pytest_benchmark import PYTEST_BENCHMARK
from modeldocs.benchmarks.readers.table import TABLE
from modeldocs.benchmarks.readers.tensorflow_timeline import TENSORFLOW_TIMELINE
from modeldocs.benchmarks.readers.timm import TIMM
from modeldocs.benchmarks.readers.trtexec import TRTEXEC
from modeldocs.benchmarks.readers.xplane import XPLANE
from modeldocs.errors import ModeldocsError

FORMATS: tuple[LogFormat, ...] = (
    NSIGHT_SQLITE,
    KINETO,
    TENSORFLOW_TIMELINE,
    XPLANE,
    ONNXRUNTIME_PROFILE,
    TRTEXEC,
    PYTEST_BENCHMARK,
    ASV,
    NVPROF,
    NSYS_STATS,
    TABLE,
    TIMM,
    CAFFE_TIME,
)

__all__ = ["FORMATS", "Content", "LogFormat", "Recording", "read"]


def read(path: Path) -> tuple[LogFormat, Sequence[Recording]]:
    """The format of a file, and the runs that it holds.

    Raises:
        ModeldocsError: it cannot be read, is broken, or fits no format; the reason then names the
            formats that it almost fits, and what it lacks.
    """
    content = Content(path)
    nearly = []
    for one in FORMATS:
        fit = one.fit(content)
        if fit.fits:
            return one, one.read(content)
        if fit.missing:
            nearly.append(f"{one.name}, but {fit.missing}")
    if nearly:
        raise ModeldocsError(
            f"fits no format; almost {'; '.join(nearly)}", file=path, fix="record it again"
        )
    raise ModeldocsError(
        "fits no format of recorded figures",
        file=path,
        fix=f"import one of: {', '.join(one.name for one in FORMATS)}",
    )
