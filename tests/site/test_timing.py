"""The record whose times a port's page shows, and the figures that colour its diagram."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from modeldocs.benchmarks import measurements, metadata
from modeldocs.benchmarks.attribution import TimeBreakdown, Times, attribute
from modeldocs.benchmarks.record import Record, read
from modeldocs.diagram import LevelDrawing
from modeldocs.fold import fold
from modeldocs.ir import Layer, LayerGraph, Module, Parameter, TensorType
from modeldocs.site.port.heat import Heat
from modeldocs.site.port.timing import PortTiming, timing
from modeldocs.site.templating import PageLink
from modeldocs.tasks.results import RecordFile
from tests.benchmarks.examples import example
from tests.fold.networks import blocks as network

REPOSITORY = Path(__file__).parents[2]
OUTPUT = TensorType(shape=(1, 8), dtype="float32")


def layer(identity: str, name: str, *parameters: Parameter, size: int | None = 32) -> Layer:
    return Layer(
        id=identity,
        name=name,
        operator="Gemm",
        outputs=(OUTPUT,),
        parameters=parameters,
        activation_bytes=size,
    )


GRAPH = LayerGraph(
    name="tiny", layers=(layer("gemm-1", "fc"), layer("relu-1", "act"), layer("relu-2", "act"))
)


def timed(device: str, backward: float | None, date: str, **model: str) -> RecordFile:
    made: Record = example(
        blocks=(
            measurements.Block(path="fc", forward_us=600.0, backward_us=backward),
            measurements.Block(path="act", forward_us=300.0, activation_bytes=64),
        ),
        model=metadata.MeasuredModel(**{"id": "tiny", "port": "pytorch"} | model),
        device=metadata.Device(
            name=f"{device} of {date}", kind="cpu" if device == "CPU" else "cuda"
        ),
    )
    run = msgspec.structs.replace(made.run, date=date)
    return RecordFile(file=f"{date}-{device}.json", record=msgspec.structs.replace(made, run=run))


def shown(*files: RecordFile, port: str = "pytorch") -> PortTiming | None:
    ports = [SimpleNamespace(name=name) for name in ("pytorch", "caffe")]
    model: Any = SimpleNamespace(id="tiny", ports=ports)
    results: Any = SimpleNamespace(records={"tiny": list(files)})
    wanted: Any = next(one for one in ports if one.name == port)
    return timing(model, wanted, GRAPH, results, f"models/tiny/ports/{port}")


def test_a_gpu_comes_before_a_cpu_then_backward_then_the_newest() -> None:
    files = [
        timed("CPU", 5.0, "2026-12-01"),
        timed("GPU", None, "2026-11-30"),
        timed("GPU", 5.0, "2026-11-01"),
        timed("GPU", 5.0, "2026-11-02"),
    ]
    found = shown(*files)
    assert found is not None
    dates = [link.text.rpartition(" · ")[2] for link in (found.run, *found.others)]
    assert dates == ["2026-11-02", "2026-11-01", "2026-11-30", "2026-12-01"]
    assert found.run.href == "../../benchmarks/index.html#2026-11-02-GPU"


def test_a_record_that_names_a_port_for_its_layers_is_of_that_port() -> None:
    file = timed("GPU", None, "2026-11-01", layers_of="tiny/caffe")
    assert shown(file) is None
    assert shown(file, port="caffe") is not None


def test_a_port_without_times_has_none() -> None:
    assert shown() is None
    assert shown(RecordFile(file="a.json", record=example(blocks=None))) is None


def test_rows_have_their_time_or_where_it_is() -> None:
    found = shown(timed("CPU", None, "2026-11-01"))
    assert found is not None
    assert (found.unit, found.figure(600.0), found.has_backward) == ("µs", "600.0", False)
    own, first, again = (found.of_layer(one) for one in ("gemm-1", "relu-1", "relu-2"))
    assert (own.times, own.share) == (Times(forward_us=600.0), 0.4)  # of a step of 1.5 ms
    assert (first.times, first.bytes) == (Times(forward_us=300.0), 64)
    assert again.note is not None
    assert (again.times.us, again.note.text, again.note.href) == (None, "in row 2", "#relu-1")
    assert found.attributed.us == 900.0
    assert found.unattributed.us == found.between.us == 600.0


def test_layers_that_share_a_time_lead_to_each_other() -> None:
    file = timed("CPU", None, "2026-11-01")
    assert file.record is not None
    block = measurements.Block(path="dense", forward_us=800.0)
    record = msgspec.structs.replace(file.record, blocks=(block,))
    names = {"gemm-1": "dense", "relu-1": "dense/relu"}
    steps = (Module(path="dense"),)
    layers = (msgspec.structs.replace(layer(*one), modules=steps) for one in names.items())
    graph = LayerGraph(name="tiny", layers=tuple(layers))
    found = PortTiming(
        attribution=attributed(record, graph), names=names, run=PageLink(text="run", href="#run")
    )
    first, second = (found.of_layer(one) for one in names)
    assert first.note == PageLink(text="with dense/relu", href="#relu-1")
    assert second.note == PageLink(text="with dense", href="#gemm-1")
    assert first.reason == "800.0 µs together, as dense"
    assert found.of_layers(names).share == pytest.approx(800 / 1500)


def attributed(record: Record, graph: LayerGraph) -> TimeBreakdown:
    found = attribute(record, graph)
    assert found is not None
    return found


def test_the_caffe_log_of_one_weird_trick_is_attributed_but_for_its_input() -> None:
    """The log has 17 rows and two sums: 42.405 ms forward, 86.2657 ms backward."""
    folder = REPOSITORY / "models/alexnet-owt/benchmarks"
    [file] = folder.glob("*convnet-benchmarks-407b11.json")
    record = read(file)
    assert record.blocks is not None
    matched = [block for block in record.blocks if block.layer is not None]
    assert (len(record.blocks), len(matched)) == (17, 16)
    names = [block.layer or "" for block in matched]
    graph = LayerGraph(name="owt", layers=tuple(layer(one, one) for one in names))
    ports = [SimpleNamespace(name="torch7")]
    model: Any = SimpleNamespace(id="alexnet-owt", ports=ports)
    results: Any = SimpleNamespace(
        records={"alexnet-owt": [RecordFile(file=file.name, record=record)]}
    )
    port: Any = ports[0]
    found = timing(model, port, graph, results, "models/alexnet-owt/ports/torch7")
    assert found is not None
    assert found.attribution.total == Times(forward_us=42_405.0, backward_us=86_265.7)
    assert found.attributed.forward_us == pytest.approx(42_286.545)
    assert found.attributed.backward_us == pytest.approx(86_137.701)
    assert found.share(found.attributed) == pytest.approx(0.998, abs=5e-4)
    assert found.strays == ("input",)
    assert found.unattributed.us == pytest.approx(246.454)


def test_a_group_is_as_hot_as_its_layers_together() -> None:
    graph = network(30, 2)
    sized = msgspec.structs.replace(
        graph,
        layers=tuple(
            msgspec.structs.replace(one, activation_bytes=number)
            for number, one in enumerate(graph.layers)
        ),
    )
    groups = list(fold(sized).groups())
    levels = [LevelDrawing(id="", title="", svg="")]
    levels += [LevelDrawing(id=group.id, title="", svg="") for group in groups]
    content: Any = Heat(sized, levels, None).content()
    figures = content["figures"]
    assert groups
    for group in groups:
        held = [figures[one] for one in group.layers()]
        assert figures[f"level={group.id}"][0] == sum(one[0] for one in held)
        assert figures[f"level={group.id}"][1] == sum(one[1] for one in held)
    assert content["total"][0] == sum(range(len(sized.layers)))
    assert content["total"][2:] == (None, None)


def test_memory_counts_a_shared_parameter_once_and_tells_what_is_unknown() -> None:
    table = Parameter(name="table", role="weight", shape=(100, 8), dtype="float16")
    open_ = Parameter(name="open", role="weight", shape=(None, 8), dtype="float32")
    graph = LayerGraph(
        name="tied",
        layers=(
            layer("gemm-1", "a", table),
            layer("gemm-2", "b", table),
            layer("gemm-3", "c", open_, size=None),
        ),
    )
    content: Any = Heat(graph, (), None).content()
    assert content["figures"] == {
        "gemm-1": (32, 1600, None, None),
        "gemm-2": (32, 0, None, None),
        "gemm-3": (None, None, None, None),
    }
    assert content["total"] == (64, 1600, None, None)
