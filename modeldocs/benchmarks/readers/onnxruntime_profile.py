"""Profile of onnxruntime, JSON: the time of every node in every run of a session.

The first run allocates memory and chooses algorithms; it is left out.
"""

from __future__ import annotations

import statistics
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.activity import HostColumns
from modeldocs.benchmarks.activity.events import MAX_NS, MAX_WINDOW_NS
from modeldocs.benchmarks.readers import chrome
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import summarise
from modeldocs.errors import ModeldocsError

_RUN, _NODE = "model_run", "_kernel_time"
_KINDS: dict[str, Literal["cpu", "cuda"]] = {
    "CPUExecutionProvider": "cpu",
    "CUDAExecutionProvider": "cuda",
    "TensorrtExecutionProvider": "cuda",
}

_Time = Annotated[int, Meta(ge=0, le=MAX_NS // 1000)]
_Duration = Annotated[int, Meta(ge=0, le=MAX_WINDOW_NS // 1000)]
"""In microseconds."""


class _ProfileDetails(msgspec.Struct, frozen=True):
    op_name: str | None = None
    provider: str | None = None
    output_size: str | None = None


class _ProfileEvent(msgspec.Struct):
    name: str
    ts: _Time
    dur: _Duration
    tid: int = 0
    args: _ProfileDetails = _ProfileDetails()

    @property
    def node(self) -> str:
        """Name of the node."""
        return self.name.removesuffix(_NODE)


_EVENT = msgspec.json.Decoder(_ProfileEvent)


def _fit(content: Content) -> FormatMatch:
    if b'"session_initialization"' in content.head or b'"model_loading_' in content.head:
        return YES if content.items else almost("it is no list of events")
    return NO


def _read(content: Content) -> Sequence[Recording]:
    runs, nodes = _events(content)
    if len(runs) < 2:
        raise ModeldocsError(
            f"profiles {len(runs)} runs, of which the first is warm-up",
            file=content.path,
            fix="run the session several times before `end_profiling`",
        )
    timed = runs[1:]
    record = Record(
        model=part.MeasuredModel(id=""),
        run=part.RunOptions(date="", task="inference"),
        device=part.Device(name="not named in the profile", kind=_device_kind(nodes)),
        host=part.Host(),
        software=part.Software(framework="onnxruntime"),
        numerics=part.Numerics(),
        method=part.Method(
            timer="onnxruntime's profiler, in whole microseconds",
            warmup_steps=1,
            steps=len(timed),
            processes=1,
        ),
        step_ms=summarise([[run.dur / 1e3 for run in timed]]),
        blocks=_blocks(timed, nodes) or None,
        host_operators=_operators(timed, nodes),
        provenance=part.RecordSource(
            title="",
            citation="",
            tool="onnxruntime profiler",
            unknown="A profile tells neither the model nor its batch.",
        ),
    )
    return [Recording(record)]


def _events(content: Content) -> tuple[list[_ProfileEvent], list[_ProfileEvent]]:
    """The runs and the nodes, in the order in which they began."""
    runs, nodes = [], []
    with chrome.reading(content) as place:
        for number, one in enumerate(chrome.events(content)):
            place.number = number
            head = chrome.HEAD.decode(one)
            if head.cat == "Session" and head.name == _RUN:
                runs.append(_EVENT.decode(one))
            elif head.cat == "Node" and str(head.name).endswith(_NODE):
                nodes.append(_EVENT.decode(one))
    return sorted(runs, key=lambda run: run.ts), sorted(nodes, key=lambda node: node.ts)


def _device_kind(nodes: Sequence[_ProfileEvent]) -> Literal["cpu", "cuda", "unknown"]:
    """The kind of device of the provider that ran most nodes."""
    providers = Counter(node.args.provider for node in nodes if node.args.provider)
    return _KINDS.get(providers.most_common(1)[0][0], "unknown") if providers else "unknown"


def _blocks(
    runs: Sequence[_ProfileEvent], nodes: Sequence[_ProfileEvent]
) -> tuple[measurements.Block, ...]:
    """The nodes in the order of the first run, with the median of their times."""
    starts = [run.ts for run in runs]
    times: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    first: dict[str, _ProfileEvent] = {}
    for node in nodes:
        place = bisect_right(starts, node.ts) - 1
        if place >= 0 and node.ts <= runs[place].ts + runs[place].dur:
            times[node.node][place] += node.dur
            first.setdefault(node.node, node)
    return tuple(
        measurements.Block(
            path=name,
            kind=first[name].args.op_name,
            forward_us=float(statistics.median(of_run.values())),
            activation_bytes=_bytes(first[name].args.output_size),
        )
        for name, of_run in times.items()
    )


def _operators(
    runs: Sequence[_ProfileEvent], nodes: Sequence[_ProfileEvent]
) -> tuple[measurements.HostOperator, ...] | None:
    """The operators of the nodes; one that runs a subgraph has its time without those in it."""
    operators = HostColumns()
    for run in runs:
        operators.step(run.ts * 1000, run.dur * 1000)
    for node in nodes:
        name = node.args.op_name or node.node
        operators.operator(node.tid, name, node.ts * 1000, node.dur * 1000)
    return operators.operators()


def _bytes(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 16 else None


ONNXRUNTIME_PROFILE = LogFormat(name="onnxruntime profile", fit=_fit, read=_read)
