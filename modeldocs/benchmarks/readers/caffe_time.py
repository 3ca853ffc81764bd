"""Log of `caffe time`: every iteration, and the mean time of every layer, forward and backward.

The log prints the network, too: its layers' types and its input's shape are read from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import summarise
from modeldocs.errors import ModeldocsError

_PREFIX = r"^[IWE](\d{4}|\d{8}) [\d:.]+ +\d+ \S+\] "
_LINE = re.compile(_PREFIX, re.M)
_ITERATION = re.compile(
    _PREFIX + r"Iteration: \d+ forward(-backward)? time: (?P<ms>[\d.e+-]+) ms", re.M
)
_LAYER = re.compile(
    _PREFIX + r"\s*(?P<name>\S+)\s+(?P<part>forward|backward): (?P<ms>[\d.e+-]+) ms", re.M
)
_MEAN = re.compile(
    _PREFIX
    + r"Average (?P<part>Forward pass|Backward pass|Forward-Backward): (?P<ms>[\d.e+-]+) ms",
    re.M,
)
_NETWORK = re.compile(_PREFIX + r"Initializing net from parameters:\s*\n", re.M)
_NAME = re.compile(r'^name: "(.*)"', re.M)
_SHAPE = re.compile(r"shape \{\s*((?:dim: \d+\s*)+)\}")
_SET_UP = re.compile(
    _PREFIX + r"Setting up (?P<name>\S+)\n.*\] Top shape: (?P<sizes>[\d ]+) \(", re.M
)
_LAYER_TYPE = re.compile(r'^layer \{\n  name: "(?P<name>[^"]*)"\n  type: "(?P<type>[^"]*)"', re.M)


def _fit(content: Content) -> FormatMatch:
    if not _ITERATION.search(content.text):
        return NO
    return YES if _MEAN.search(content.text) else almost("it ends before the mean times")


def _read(content: Content) -> Sequence[Recording]:
    network = _network(content.text)
    means = {match["part"]: float(match["ms"]) for match in _MEAN.finditer(content.text)}
    steps = [float(match["ms"]) for match in _ITERATION.finditer(content.text)]
    if "Forward pass" not in means:
        raise ModeldocsError("has no mean time of the forward pass", file=content.path)
    has_backward = "Backward pass" in means
    shape = _shape(network)
    phases = [measurements.Phase(name="forward", mean_ms=means["Forward pass"])]
    if has_backward:
        phases.append(measurements.Phase(name="backward", mean_ms=means["Backward pass"]))
    name = _NAME.search(network)
    record = Record(
        model=part.MeasuredModel(id=name.group(1) if name else ""),
        run=part.RunOptions(
            date="",
            task="forward-backward" if has_backward else "inference",
            batch=shape[0] if shape else None,
            input_shapes={"": shape} if shape else None,
        ),
        device=part.Device(name="not named in the log"),
        host=part.Host(),
        software=part.Software(framework="Caffe"),
        numerics=part.Numerics(dtype="float32"),
        method=part.Method(steps=len(steps), processes=1),
        step_ms=summarise([steps]),
        mean_ms=means.get("Forward-Backward", means["Forward pass"]),
        phases=tuple(phases),
        throughput=(
            measurements.Throughput(
                samples=shape[0] * len(steps), wall_us=round(sum(steps) * 1e3, 3)
            )
            if shape and shape[0]
            else None
        ),
        blocks=_blocks(content.text, network) or None,
    )
    return [Recording(record, network, dict(_output_shapes(content.text)))]


def _output_shapes(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each layer's name and the sizes of its output, as Caffe prints them when it sets it up."""
    for match in _SET_UP.finditer(text):
        yield match["name"], tuple(int(size) for size in match["sizes"].split())


def _network(text: str) -> str:
    """The prototxt that the log prints, empty where it does not."""
    start = _NETWORK.search(text)
    if start is None:
        return ""
    end = _LINE.search(text, start.end())
    return text[start.end() : end.start() if end else len(text)]


def _shape(network: str) -> tuple[int, ...] | None:
    found = _SHAPE.search(network)
    return tuple(int(size) for size in re.findall(r"\d+", found.group(1))) if found else None


def _blocks(text: str, network: str) -> tuple[measurements.Block, ...]:
    """The layers in the order of the log, with times in microseconds."""
    types = {match["name"]: match["type"] for match in _LAYER_TYPE.finditer(network)}
    times: dict[str, dict[str, float]] = {}
    for match in _LAYER.finditer(text):
        times.setdefault(match["name"], {})[match["part"]] = round(float(match["ms"]) * 1e3, 4)
    return tuple(
        measurements.Block(
            path=name,
            kind=types.get(name),
            forward_us=parts.get("forward"),
            backward_us=parts.get("backward"),
        )
        for name, parts in times.items()
    )


CAFFE_TIME = LogFormat(name="log of caffe time", fit=_fit, read=_read)
