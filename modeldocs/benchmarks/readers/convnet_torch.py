"""Log of soumith/convnet-benchmarks for Torch7: mean times of the parts of a step, per network."""

from __future__ import annotations

import re
from collections.abc import Sequence

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost
from modeldocs.benchmarks.record import Record
from modeldocs.errors import ModeldocsError

_DEVICE = re.compile(r"^Running on device:\s*(.+?)\s*$", re.M)
_MODEL = re.compile(r"^ModelType: (.+?)\s+Kernels: (\S+)\s+Input shape: ([\dx]+)", re.M)
_PART = re.compile(r"^\S+\s+:(Forward|Backward|TOTAL):\s+([\d.]+)\s*$", re.M)


def _fit(content: Content) -> FormatMatch:
    head = content.head.decode("utf-8", "replace")
    if not _MODEL.search(head):
        return NO
    return YES if _DEVICE.search(head) else almost("it does not name its device")


def _read(content: Content) -> Sequence[Recording]:
    device = _DEVICE.search(content.text)
    starts = list(_MODEL.finditer(content.text))
    ends = [match.start() for match in starts[1:]] + [len(content.text)]
    assert device is not None  # as `_fit` saw
    return [
        Recording(_record(content, start, content.text[start.end() : end], device.group(1)))
        for start, end in zip(starts, ends, strict=True)
    ]


def _record(content: Content, start: re.Match[str], text: str, device: str) -> Record:
    name, kernels, shape = start.groups()
    times = {key: float(value) for key, value in _PART.findall(text)}
    if set(times) != {"Forward", "Backward", "TOTAL"}:
        raise ModeldocsError(
            f"breaks off in {name}: it has no time of a whole step",
            file=content.path,
            line=content.text[: start.start()].count("\n") + 1,
        )
    dims = tuple(int(size) for size in shape.split("x"))
    return Record(
        model=part.MeasuredModel(id=name),
        run=part.RunOptions(
            date="", task="forward-backward", batch=dims[0], input_shapes={"": dims}
        ),
        device=part.Device(name=device, kind="cuda"),
        host=part.Host(),
        software=part.Software(framework="Torch7"),
        numerics=part.Numerics(),
        method=part.Method(),
        mean_ms=times["TOTAL"],
        phases=(
            measurements.Phase(name="forward", mean_ms=times["Forward"]),
            measurements.Phase(name="backward", mean_ms=times["Backward"]),
        ),
        notes=(f"Kernels: {kernels}.",),
    )


CONVNET_TORCH = LogFormat(name="convnet-benchmarks log of Torch7", fit=_fit, read=_read)
