"""Layers and blocks put in, taken out and repeated."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir
import pytest

from modeldocs import edits, normal
from modeldocs.errors import ModeldocsError
from modeldocs.fold import Group, fold
from modeldocs.ir import LayerGraph

from .networks import caffe, edited, layer, onnx_model, parameter

CHAIN = "".join(
    f"h{n} = Conv <pads = [1,1,1,1]> (x{n}, w{n}) r{n} = Relu (h{n}) x{n + 1} = Add (x{n}, r{n})\n"
    for n in range(4)
)
BLOCKS = f"g (float[1,4,6,6] x0) => (float[1,4,6,6] y) {{\n{CHAIN} y = Sigmoid (x4) }}"
WEIGHTS = {f"w{n}": (4, 4, 3, 3) for n in range(4)}


def operators(graph: LayerGraph) -> list[str]:
    return [one.operator for one in graph.layers]


def test_what_read_a_removed_layer_reads_what_it_read() -> None:
    graph = edited(caffe("lenet"), "remove pool1")
    assert layer(graph, "conv2").inputs[0].value == "conv-1"
    assert parameter(layer(graph, "gemm-1")) == (500, 50 * 10 * 10)


def test_a_removed_layer_takes_its_parameters_along() -> None:
    graph = edited(caffe("lenet"), "remove conv2")
    assert not [name for name in graph.parameters() if name.startswith("conv2")]


def test_a_block_is_removed_whole() -> None:
    model = caffe("resnet50")
    before, block = normal.read(model), repeat_of(model).members[0]
    assert isinstance(block, Group)
    graph = edited(model, f"remove {block.id}")
    assert len(graph.layers) == len(before.layers) - len(list(block.layers()))
    assert not {"res2b_branch2a"} & {one.name for one in graph.layers}


def test_of_what_joins_two_values_neither_takes_its_place() -> None:
    with pytest.raises(ModeldocsError, match="'res2a' reads 2 values"):
        edited(caffe("resnet50"), "remove res2a")


def test_the_last_layer_may_go_and_the_output_keeps_its_name() -> None:
    graph = edited(caffe("lenet"), "remove prob")
    assert [(one.name, one.source.value) for one in graph.outputs] == [("prob", "gemm-2")]


def test_an_inserted_layer_is_read_by_those_that_read_the_one_before_it() -> None:
    graph = edited(caffe("lenet"), "insert after=conv1:BatchNormalization:epsilon=0.01:name=norm")
    norm = layer(graph, "norm")
    assert (norm.inputs[0].value, layer(graph, "pool1").inputs[0].value) == ("conv-1", norm.id)
    assert [one.shape for one in norm.parameters] == [(20,)] * 4
    assert [one.trainable for one in norm.parameters] == [True, True, False, False]


def test_an_inserted_layer_may_be_set_and_removed_by_its_name() -> None:
    words = ("insert after=conv1:Conv:channels=24:name=extra", "set extra.kernel_shape=5")
    graph = edited(caffe("lenet"), *words, "set extra.pads=2")
    assert parameter(layer(graph, "extra")) == (24, 20, 5, 5)
    assert operators(edited(caffe("lenet"), *words, "remove extra")) == operators(
        edited(caffe("lenet"), "set conv1.group=1")
    )


def test_behind_the_last_layer_another_one_gives_the_output() -> None:
    graph = edited(caffe("lenet"), "insert after=prob:Relu:name=end")
    assert [(one.name, one.source.value) for one in graph.outputs] == [("prob", "relu-2")]


def test_what_reads_two_tensors_cannot_be_put_in() -> None:
    with pytest.raises(ModeldocsError, match="no layer of 'Add' can be put in"):
        edited(caffe("lenet"), "insert after=conv1:Add")


@pytest.mark.parametrize("operator", edits.operators_that_fit())
def test_each_operator_that_fits_can_be_put_in(operator: str) -> None:
    where = "gemm-1" if operator in ("Gemm", "LpNormalization") else "maxpool-2"
    more = ":num_groups=2" if operator == "GroupNormalization" else ""
    more = ":channels=50" if operator.startswith("Conv") else more
    graph = edited(caffe("lenet"), f"insert after={where}:{operator}{more}:name=new")
    assert layer(graph, "new").operator == operator
    assert graph.totals().macs is not None


def repeat_of(model: ir.Model) -> Group:
    return next(one for one in fold(normal.read(model)).groups() if one.kind == "repeat")


def test_a_repeat_gets_more_instances_each_with_its_own_parameters(tmp_path: Path) -> None:
    model = onnx_model(tmp_path, BLOCKS, **WEIGHTS)
    group = repeat_of(model)
    graph = edited(model, f"repeat {group.id}={len(group.members) + 2}")
    assert operators(graph).count("Conv") == len(graph.parameters()) == 6
    sums = [one for one in graph.layers if one.operator == "Add"]
    assert [{operand.value for operand in one.inputs} for one in sums[1:]] == [
        {f"add-{n}", f"relu-{n + 1}"} for n in range(1, 6)
    ]
    assert graph.layers[-1].inputs[0].value == "add-6"


def test_a_repeat_gets_fewer_instances(tmp_path: Path) -> None:
    model = onnx_model(tmp_path, BLOCKS, **WEIGHTS)
    group = repeat_of(model)
    graph = edited(model, f"repeat {group.id}=1")
    assert operators(graph).count("Conv") == 5 - len(group.members)
    assert len(graph.parameters()) == 5 - len(group.members)


def test_a_block_of_a_residual_network_is_repeated() -> None:
    before = edited(caffe("resnet50"), "set conv-3.group=1").totals()
    group = repeat_of(caffe("resnet50"))
    after = edited(caffe("resnet50"), f"repeat {group.id}={len(group.members) + 2}").totals()
    assert after.layers > before.layers
    assert after.parameters is not None and before.parameters is not None
    assert after.parameters > before.parameters
