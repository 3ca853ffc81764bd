"""JSON of TensorRT's trtexec: `--exportTimes` (every query) and `--exportProfile` (every layer)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.readers.content import UNDECODABLE, Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import summarise
from modeldocs.errors import ModeldocsError

_Milliseconds = Annotated[float, Meta(ge=0, le=1e9)]


class _Query(msgspec.Struct):
    """The times of one query; `h2dMs` was `inMs` before TensorRT 8.5."""

    latencyMs: _Milliseconds  # noqa: N815
    computeMs: _Milliseconds  # noqa: N815


class _TimedLayer(msgspec.Struct):
    """All times of a layer."""

    name: str
    timeMs: _Milliseconds  # noqa: N815
    medianMs: _Milliseconds | None = None  # noqa: N815
    averageMs: _Milliseconds | None = None  # noqa: N815


class _IterationCount(msgspec.Struct):
    count: Annotated[int, Meta(ge=1)]


def _fit(content: Content) -> FormatMatch:
    if not content.items:
        return NO
    head = content.head
    if b'"computeMs"' in head:
        return YES if b'"latencyMs"' in head else almost("it lacks latencyMs")
    if b'"timeMs"' in head and b'"percentage"' in head:
        return YES
    return NO


def _read(content: Content) -> Sequence[Recording]:
    if b'"computeMs"' in content.head:
        queries = _decoded(content, content.items, list[_Query])
        return [_recording("trtexec --exportTimes", **_of_queries(queries))]
    has_count = b'"count"' in bytes(content.items[0])
    count = (
        _decoded(content, content.items[:1], list[_IterationCount])[0].count if has_count else None
    )
    layers = _decoded(content, content.items[1:] if has_count else content.items, list[_TimedLayer])
    if not layers:
        raise ModeldocsError("profiles no layer", file=content.path)
    blocks = tuple(
        measurements.Block(path=layer.name, forward_us=_microseconds(layer, count))
        for layer in layers
    )
    return [_recording("trtexec --exportProfile", method=part.Method(steps=count), blocks=blocks)]


def _decoded(content: Content, items: Sequence[msgspec.Raw], kind: Any) -> Any:
    try:
        return msgspec.convert([msgspec.json.decode(one) for one in items], kind)
    except UNDECODABLE as error:
        raise ModeldocsError(
            f"has a wrong field: {error}", file=content.path, fix="export it again"
        ) from None


def _of_queries(queries: Sequence[_Query]) -> dict[str, Any]:
    return {
        "method": part.Method(timer="CUDA events of trtexec", steps=len(queries), processes=1),
        "step_ms": summarise([[query.latencyMs for query in queries]]),
        "device_ms": summarise([[query.computeMs for query in queries]]),
    }


def _microseconds(layer: _TimedLayer, count: int | None) -> float | None:
    """Time of one query: the median, else the mean; None where the number of queries is unknown."""
    one = layer.medianMs if layer.medianMs is not None else layer.averageMs
    if one is None and count is not None:
        one = layer.timeMs / count
    return None if one is None else round(one * 1e3, 4)


def _recording(tool: str, method: part.Method, **measured: Any) -> Recording:
    return Recording(
        Record(
            model=part.MeasuredModel(id=""),
            run=part.RunOptions(date="", task="inference"),
            device=part.Device(name="not named in the file", kind="cuda", count=1),
            host=part.Host(),
            software=part.Software(framework="TensorRT"),
            numerics=part.Numerics(),
            method=method,
            provenance=part.RecordSource(
                title="",
                citation="",
                tool=tool,
                unknown="The file tells neither the model nor its batch and precision.",
            ),
            **measured,
        )
    )


TRTEXEC = LogFormat(name="JSON of trtexec", fit=_fit, read=_read)
