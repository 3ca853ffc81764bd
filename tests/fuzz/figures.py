"""Small files of recorded figures in each format, as the tests of their readers write them."""

from __future__ import annotations

import functools
import gzip
import json
import sqlite3
from typing import Any

from .seeds import Seed


@functools.cache
def traces() -> list[Seed]:
    """JSON, some of it compressed."""
    from tests.benchmarks.readers import (
        test_asv,
        test_onnxruntime_profile,
        test_pytest_benchmark,
        test_tensorflow_timeline,
        test_trtexec,
        traces,
    )

    held: tuple[Any, ...] = (
        traces.NEWER,
        traces.OLDEST,
        traces.TWO_DEVICES,
        test_tensorflow_timeline.TIMELINE,
        test_onnxruntime_profile.PROFILE,
        test_trtexec.TIMES,
        test_trtexec.PROFILE,
        test_pytest_benchmark.file(data=[0.001, 0.002]),
        test_asv.file(),
    )
    texts = [json.dumps(one).encode() for one in held]
    packed = gzip.compress(texts[0], mtime=0)
    return [Seed("trace.json", text) for text in texts] + [Seed("trace.json.gz", packed)]


@functools.cache
def prints() -> list[Seed]:
    """CSV of profilers."""
    from tests.benchmarks.readers import test_nsys_stats, test_nvprof

    held = (test_nvprof.TRACE, test_nvprof.SUMMARY, test_nsys_stats.TRACE, test_nsys_stats.SUMS)
    return [Seed("trace.csv", text.encode()) for text in held]


@functools.cache
def profiles() -> list[Seed]:
    """Profiles of TensorFlow 2."""
    from tests.benchmarks.readers import test_xplane

    return [Seed("trace.xplane.pb", test_xplane.data(test_xplane.profile()))]


@functools.cache
def databases() -> list[Seed]:
    """An export of Nsight Systems."""
    from tests.benchmarks.readers import test_nsight_sqlite

    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA page_size = 512")
    test_nsight_sqlite.fill(connection, test_nsight_sqlite.DESCRIBED)
    data = connection.serialize()
    connection.close()
    return [Seed("trace.sqlite", data)]
