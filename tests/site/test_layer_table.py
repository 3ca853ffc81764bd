"""Figures of the layer table: its rows add up to the totals, live activations peak in one."""

from __future__ import annotations

import csv
import io

import pytest

from modeldocs.diagram import LevelDrawing
from modeldocs.diagram.level import DrawnLevels
from modeldocs.fold import fold
from modeldocs.ir import GraphInput, GraphOutput, Layer, LayerGraph, Operand, Parameter, TensorType
from modeldocs.site.port import census
from modeldocs.site.port.grouping import Grouping, GroupRow
from modeldocs.site.port.layer_columns import columns
from modeldocs.site.port.layer_row import cumulative, peak_index, rows
from modeldocs.site.port.layer_table import csv_bytes, footer
from tests.diff import graphs
from tests.fold.networks import blocks

NETWORKS = {
    "resnet50": graphs.resnet50(),
    "transformer": graphs.transformer(12),
    "blocks": blocks(300, 2),
}
every_network = pytest.mark.parametrize("graph", NETWORKS.values(), ids=NETWORKS)

X = TensorType(shape=(1, 8), dtype="float32")
TABLE = Parameter(name="table", role="weight", shape=(100, 8), dtype="float32")
MEAN = Parameter(name="mean", role="mean", shape=(8,), dtype="float32", trainable=False)


def reads(value: str) -> Operand:
    return Operand(slot=0, value=value, type=X)


def layer(identity: str, source: str, parameter: Parameter, macs: int | None = 0) -> Layer:
    operator = "Gemm" if identity.startswith("gemm") else "BatchNormalization"
    return Layer(
        id=identity,
        name=identity,
        operator=operator,
        inputs=(reads(source),),
        outputs=(X,),
        parameters=(parameter,),
        macs=macs,
    )


TIED = LayerGraph(
    name="tied",
    inputs=(GraphInput(id="input-1", name="x", type=X),),
    layers=(
        layer("gemm-1", "input-1", TABLE, 800),
        layer("batchnormalization-1", "gemm-1", MEAN),
        layer("gemm-2", "batchnormalization-1", TABLE, None),
    ),
    outputs=(GraphOutput(name="y", source=reads("gemm-2")),),
)


@pytest.mark.parametrize("graph", [*NETWORKS.values(), TIED], ids=[*NETWORKS, "tied"])
def test_rows_add_up_to_the_totals_of_the_graph(graph: LayerGraph) -> None:
    table, totals = rows(graph), graph.totals()
    assert sum(row.counted.parameters or 0 for row in table) == totals.parameters
    assert sum(row.counted.statistics or 0 for row in table) == totals.buffers
    operators = census.operators(graph)
    assert sum(row.sums.parameters for row in operators) == totals.parameters
    assert sum(row.sums.statistics for row in operators) == totals.buffers
    written = list(csv.DictReader(io.StringIO(csv_bytes(rows(graph)).decode())))
    assert sum(int(row["parameters"]) for row in written) == totals.parameters
    assert sum(int(row["running_statistics"]) for row in written) == totals.buffers


def test_a_shared_parameter_counts_at_the_first_layer_that_has_it() -> None:
    first, norm, last = rows(TIED)
    assert (first.counted.parameters, first.counted.statistics) == (800, 0)
    assert (norm.counted.parameters, norm.counted.statistics) == (0, 8)
    assert (last.counted.parameters, last.counted.shared) == (0, (TABLE,))


@every_network
def test_the_peak_is_that_of_the_totals_and_has_its_layer(graph: LayerGraph) -> None:
    live, peak = graph.live_bytes(), footer(graph, rows(graph)).peak
    index = peak_index(live)
    assert index is not None and peak is not None
    assert live[index] == max(live) == graph.totals().peak_activation_bytes  # type: ignore[type-var]
    assert peak.layer is graph.layers[index]


def test_where_a_size_is_unknown_nothing_peaks() -> None:
    unknown = TensorType(shape=("N",), dtype="float32")
    layer = Layer(id="a-1", name="a", operator="Relu", outputs=(unknown,))
    graph = LayerGraph(name="g", layers=(layer,))
    assert graph.live_bytes() == (None,)
    assert footer(graph, rows(graph)).peak is None


def test_cumulative_shares_end_at_one() -> None:
    assert cumulative([1, None, 3]) == [0.25, 0.25, 1.0]
    assert cumulative([0, None]) == [None, None]


@every_network
def test_groups_of_the_table_hold_each_layer_once_and_add_up(graph: LayerGraph) -> None:
    table = rows(graph)
    grouping = Grouping(graph, ())
    parameters = next(one for one in columns(table) if one.key == "parameters")

    def leaves(members: tuple[int | GroupRow, ...]) -> list[int]:
        return [
            leaf
            for member in members
            for leaf in ([member] if isinstance(member, int) else leaves(member.members))
        ]

    members = grouping.rows()
    assert sorted(leaves(members)) == list(range(len(graph.layers)))
    for member in members:
        if not isinstance(member, int):
            held = leaves(member.members)
            assert list(member.layers()) == held
            total = sum(table[one].counted.parameters or 0 for one in held)
            assert parameters.several is not None
            assert parameters.several([table[one] for one in held]) == f"{total:,}"


@every_network
def test_each_layer_has_a_box_in_a_level_or_its_counterpart_has(graph: LayerGraph) -> None:
    levels = list(DrawnLevels(graph).all(fold(graph)))
    names = ["", *(level.group.id for level in levels[1:])]
    shown = {
        name: {one for box in level.boxes() if box.group is None for one in box.layers}
        for name, level in zip(names, levels, strict=True)
    }
    drawings = [LevelDrawing(id=name, title="", svg="") for name in names]
    drawn = Grouping(graph, drawings).drawn()
    operators = {layer.id: layer.operator for layer in graph.layers}
    assert set(drawn) == set(operators)
    for identity, place in drawn.items():
        assert place.layer in shown[place.level]
        assert operators[place.layer] == operators[identity]
        if identity in shown[place.level]:
            assert place.layer == identity


def test_parameters_of_attention_and_mlp_are_told_apart() -> None:
    graph = graphs.transformer(12)
    found = {(row.depth, row.path): row for row in census.blocks(graph)}
    assert {group.title for group in fold(graph).groups()} >= {"Attention", "MLP"}
    attention = next(row for row in found.values() if row.path == "Attention")
    mlp = next(row for row in found.values() if row.path == "MLP")
    assert attention.kind == mlp.kind == "× 12"
    top = [row.sums.parameters for row in found.values() if row.depth == 0]
    assert sum(top) == graph.totals().parameters
    assert 0 < attention.sums.parameters < mlp.sums.parameters


def test_the_largest_layers_stand_for_modules_where_there_are_none() -> None:
    graph = graphs.resnet50()
    [(heading, largest), _] = census.tables(graph)
    every = sorted((row.counted.parameters or 0 for row in rows(graph)), reverse=True)
    assert heading == "Layer"
    assert [row.sums.parameters for row in largest] == every[: census.MAX_LAYERS]
