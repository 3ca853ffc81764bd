"""Log of soumith/convnet-benchmarks for TensorFlow: the mean of a hundred steps.

The log names neither the network nor the batch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost
from modeldocs.benchmarks.record import Record

_SUMMARY = re.compile(
    r"^(?P<date>\d{4}-\d\d-\d\d) \S+ (?P<task>Forward|Forward-backward) across "
    r"(?P<steps>\d+) steps, (?P<mean>[\d.]+) \+/- (?P<spread>[\d.]+) sec / batch",
    re.M,
)
_STEP = re.compile(rb"^\d{4}-\d\d-\d\d \S+ step \d+, duration = [\d.]+", re.M)
_DEVICE = re.compile(
    r"^name: (?P<name>.+)\nmajor: (?P<major>\d+) minor: (?P<minor>\d+) .*\n.*\n"
    r"Total memory: (?P<memory>[\d.]+)GiB",
    re.M,
)


def _fit(content: Content) -> FormatMatch:
    if _SUMMARY.search(content.text):
        return YES
    return almost("it ends before the mean of its steps") if _STEP.search(content.head) else NO


def _read(content: Content) -> Sequence[Recording]:
    return [Recording(_record(content, match)) for match in _SUMMARY.finditer(content.text)]


def _record(content: Content, summary: re.Match[str]) -> Record:
    tasks: dict[str, Literal["inference", "forward-backward"]] = {
        "Forward": "inference",
        "Forward-backward": "forward-backward",
    }
    spread = part.PrintedFigure(name="+/-", value=float(summary["spread"]), unit="s")
    return Record(
        model=part.MeasuredModel(id=""),
        run=part.RunOptions(date=summary["date"], task=tasks[summary["task"]]),
        device=_device(content),
        host=part.Host(),
        software=part.Software(framework="TensorFlow"),
        numerics=part.Numerics(),
        method=part.Method(steps=int(summary["steps"]), processes=1),
        mean_ms=round(float(summary["mean"]) * 1e3, 6),
        provenance=part.RecordSource(
            title="",
            citation="",
            figures=(spread,),
            rounding="The source gives whole milliseconds.",
        ),
    )


def _device(content: Content) -> part.Device:
    found = _DEVICE.search(content.text)
    if found is None:
        return part.Device(name="not named in the log")
    return part.Device(
        name=found["name"].strip(),
        kind="cuda",
        compute_capability=f"{found['major']}.{found['minor']}",
        memory_bytes=int(float(found["memory"]) * 2**30),
    )


CONVNET_TENSORFLOW = LogFormat(name="convnet-benchmarks log of TensorFlow", fit=_fit, read=_read)
