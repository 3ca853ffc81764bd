"""The time of each layer of a port, from the blocks of a record."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks.attribution import Times, attribute, summed
from modeldocs.benchmarks.blocks import leaves
from modeldocs.ir import Layer, LayerGraph, Module, Origin

from .examples import example


def layer(identity, name, *modules, origins=()):
    return Layer(
        id=identity,
        name=name,
        operator=identity.rpartition("-")[0],
        modules=tuple(Module(path=path) for path in modules),
        origins=tuple(Origin(operator="?", name=one) for one in origins),
    )


def network(*layers):
    return LayerGraph(name="net", layers=layers)


def block(path, forward=None, backward=None, layer=None, kind=None, size=None):
    return measurements.Block(
        path=path,
        kind=kind,
        forward_us=forward,
        backward_us=backward,
        activation_bytes=size,
        layer=layer,
    )


def measured(*blocks, **changed):
    return example(**{"blocks": blocks, "step_ms": None, **changed})


RESIDUAL = network(
    layer("conv-1", "stage.conv", "stage", "stage.conv"),
    layer("relu-1", "stage.relu", "stage", "stage.relu"),
    layer("add-1", "stage.add", "stage"),
    layer("relu-2", "stage.relu", "stage", "stage.relu"),
    layer("gemm-1", "fc", "fc"),
)


def test_the_time_of_a_module_without_its_children_is_of_its_one_own_layer():
    found = attribute(
        measured(
            block("", 100, 200),
            block("stage", 80, 150),
            block("stage.conv", 60, 100),
            block("stage.relu", 15, 20),
            block("fc", 20, 50),
        ),
        RESIDUAL,
    )
    assert found.layers == {
        "conv-1": Times(forward_us=60, backward_us=100),
        "relu-1": Times(forward_us=15, backward_us=20),
        "add-1": Times(forward_us=5, backward_us=30),
        "gemm-1": Times(forward_us=20, backward_us=50),
    }
    assert (found.unattributed, found.together) == ((), ())
    assert found.total == Times(forward_us=100, backward_us=200)


def test_bytes_are_of_a_layer_only_where_its_block_holds_no_other():
    sizes = {"stage": 7, "stage.conv": 5, "fc": 3}
    blocks = [block(path, 9, size=size) for path, size in sizes.items()]
    found = {part.layers: part for part in attribute(measured(*blocks), RESIDUAL).parts}
    assert found["conv-1",].activation_bytes == 5
    assert found["gemm-1",].activation_bytes == 3


def test_a_module_that_runs_again_has_its_time_at_its_first_layer():
    found = attribute(measured(block("stage.relu", 15)), RESIDUAL)
    assert found.layers == {"relu-1": Times(forward_us=15)}
    assert found.reruns == {"relu-2": "relu-1"}


def test_several_layers_of_a_module_share_its_time_without_a_guess():
    dense = network(
        layer("gemm-1", "dense", origins=["dense"]),
        layer("relu-1", "dense/relu", origins=["dense"]),
    )
    found = attribute(measured(block("dense", 9, 4)), dense)
    [part] = found.together
    assert (part.path, part.layers) == ("dense", ("gemm-1", "relu-1"))
    assert part.times == Times(forward_us=9, backward_us=4)
    assert found.layers == {}
    assert found.of_layers(["gemm-1"]) == Times()
    assert found.of_layers(["gemm-1", "relu-1"]).us == 13


def test_a_module_of_modules_alone_has_its_own_time_with_all_its_layers():
    chain = network(layer("conv-1", "s.0", "s", "s.0"), layer("relu-1", "s.1", "s", "s.1"))
    found = attribute(measured(block("s", 12), block("s.0", 7), block("s.1", 3)), chain)
    [part] = found.together
    assert (part.layers, part.times.us) == (("conv-1", "relu-1"), 2)


def test_what_the_network_itself_takes_is_of_the_layers_outside_of_modules():
    mlp = network(
        layer("gemm-1", "fc1", "fc1"), layer("relu-1", "relu"), layer("gemm-2", "fc2", "fc2")
    )
    blocks = block("", 20), block("fc1", 9), block("fc2", 8)
    assert attribute(measured(*blocks), mlp).layers["relu-1"].us == 3
    deeper = msgspec.structs.replace(mlp, layers=(*mlp.layers, layer("relu-2", "relu_1")))
    [part] = attribute(measured(*blocks), deeper).together
    assert (part.path, part.layers) == ("", ("relu-1", "relu-2"))


def test_what_a_session_takes_beside_its_nodes_is_of_none_of_them():
    nodes = network(layer("conv-1", "node_conv"), layer("relu-1", "node_relu"))
    found = attribute(measured(block("", 20), block("node_conv", 15)), nodes)
    assert [(part.path, part.times.us) for part in found.unattributed] == [("", 5)]


def test_operators_that_were_made_one_layer_add_up_in_it():
    found = attribute(
        measured(block("matmul", 5), block("bias", 2)),
        network(layer("gemm-1", "matmul", origins=["matmul", "bias"])),
    )
    assert found.layers == {"gemm-1": Times(forward_us=7)}


def test_rows_that_no_layer_has_and_the_time_between_rows_are_not_attributed():
    found = attribute(
        measured(
            block("data", 3, 1),
            block("ip", 10, 20, layer="gemm-1"),
            phases=(
                measurements.Phase(name="forward", mean_ms=0.015),
                measurements.Phase(name="backward", mean_ms=0.030),
            ),
        ),
        network(layer("gemm-1", "linear"), layer("softmax-1", "prob")),
    )
    assert [(part.path, part.times.us) for part in found.unattributed] == [("data", 4), ("", 11)]
    assert found.layers == {"gemm-1": Times(forward_us=10, backward_us=20)}


def test_a_copy_that_caffe_inserts_counts_at_the_layer_that_it_copies():
    found = attribute(
        measured(
            block("pool/3x3", 5, 5, layer="maxpool-1"),
            block("pool/3x3_pool/3x3_0_split", 1, 7),
            block("data_data_0_split", 2, 2),
        ),
        network(layer("maxpool-1", "pool")),
    )
    assert found.layers == {"maxpool-1": Times(forward_us=6, backward_us=12)}
    assert [part.path for part in found.unattributed] == ["data_data_0_split"]


def test_a_step_of_inference_is_the_whole_where_the_record_has_no_better():
    record = example(blocks=(block("fc", 900),))
    assert attribute(record, network(layer("gemm-1", "fc", "fc"))).total.us == 1_500
    training = msgspec.structs.replace(record, run=msgspec.structs.replace(record.run, task=None))
    assert attribute(training, network(layer("gemm-1", "fc", "fc"))).total.us == 900


def test_parts_that_were_measured_longer_than_the_whole_are_said():
    found = attribute(
        measured(block("", 10), block("stage", 8), block("stage.conv", 9), block("fc", 3)), RESIDUAL
    )
    assert (found.total.us, found.excess.us) == (12, 2)
    assert found.of_layers(["conv-1", "gemm-1"]).us == 12


def test_a_layer_that_noise_leaves_nothing_has_no_time_left_but_is_timed():
    blocks = block("stage", 8), block("stage.conv", 9), block("stage.relu", 1)
    assert attribute(measured(*blocks), RESIDUAL).layers["add-1"].us == 0


def test_without_a_time_there_is_no_attribution():
    assert attribute(measured(block("fc")), RESIDUAL) is None
    assert attribute(example(blocks=None, step_ms=None), RESIDUAL) is None


def test_an_unknown_direction_stays_unknown():
    found = attribute(measured(block("fc", 5)), RESIDUAL)
    assert (found.total.backward_us, found.layers["gemm-1"].backward_us) == (None, None)


def test_the_whole_network_is_no_leaf():
    assert [one.path for one in leaves([block("", 9), block("a"), block("a.b")])] == ["a.b"]
    assert [one.path for one in leaves([block("", 9)])] == [""]


PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(".".join)
US = st.none() | st.floats(0, 1e6, allow_nan=False)


@st.composite
def _networks(draw):
    """A record of nested blocks, and a graph whose layers lie in any of them or beside them."""
    blocks = draw(
        st.lists(
            st.builds(block, PATHS | st.just(""), US, US),
            unique_by=lambda one: one.path,
            max_size=12,
        )
    )
    layers = []
    for number, path in enumerate(draw(st.lists(PATHS, max_size=8)), start=1):
        steps = path.split(".")
        modules = [".".join(steps[:count]) for count in range(1, len(steps) + 1)]
        own = draw(st.booleans())
        name = path if own else f"{path}.add{number}"
        layers.append(layer(f"op-{number}", name, *modules))
    return measured(*blocks), network(*layers)


@given(_networks())
def test_parts_add_up_to_the_whole_and_none_is_negative(given_):
    record, graph = given_
    found = attribute(record, graph)
    if found is None:
        assert not any(one.forward_us or one.backward_us for one in record.blocks if one.path)
        return
    parts = summed(part.times for part in found.parts)
    for direction in ("forward_us", "backward_us"):
        whole = getattr(found.total, direction)
        assert (getattr(parts, direction) or 0) == pytest.approx(whole or 0, rel=1e-9, abs=1e-6)
        assert all((getattr(part.times, direction) or 0) >= 0 for part in found.parts)
        measured_whole = next((getattr(b, direction) for b in record.blocks if not b.path), None)
        if measured_whole is not None:
            excess = getattr(found.excess, direction)
            assert whole - excess == pytest.approx(measured_whole, rel=1e-9, abs=1e-6)


@given(_networks())
def test_no_layer_is_counted_twice(given_):
    record, graph = given_
    found = attribute(record, graph)
    if found is None:
        return
    kept = summed(part.times for part in found.parts if part.layers)
    ids = [one.id for one in graph.layers]
    assert (found.of_layers(ids).us or 0) == pytest.approx(kept.us or 0, rel=1e-9, abs=1e-6)
    assert not found.reruns.keys() & found.layers.keys()
