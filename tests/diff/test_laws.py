"""What must hold of every comparison, whatever the networks."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeldocs.diff import Change, Diff, compare, encode
from modeldocs.ir import Layer, LayerGraph

from .graphs import NETS, Net, reordered

nets = st.sampled_from(sorted(NETS))
seeds = st.integers(0, 10_000)
few = settings(max_examples=25, deadline=None)


@few
@given(nets, seeds)
def test_other_names_and_another_order_change_nothing(name, seed):
    graph = NETS[name]()
    diff = compare(graph, reordered(graph, seed))
    assert (diff.verdict, diff.changes) == ("identical", ())
    matched = [one for match in diff.matches for one in match.a]
    assert sorted(matched) == sorted(entry.id for entry in (*graph.layers, *graph.inputs))


@few
@given(nets, seeds)
def test_the_mapping_keeps_operators_and_edges(name, seed):
    graph = NETS[name]()
    other = reordered(graph, seed)
    counterpart = compare(graph, other).counterpart()
    there = {a: b[-1] for a, b in counterpart.items()}
    layers = {layer.id: layer for layer in other.layers}
    for layer in graph.layers:
        found = layers[there[layer.id]]
        if len(counterpart[layer.id]) > 1:  # sums of sums correspond all together
            continue
        assert found.operator == layer.operator
        ours = [there[operand.value] for operand in layer.inputs]
        theirs = [operand.value for operand in found.inputs]
        assert (sorted(ours) == sorted(theirs)) if layer.operator == "Add" else ours == theirs


def edited(graph: LayerGraph, seed: int, edits: int) -> tuple[LayerGraph, set[str]]:
    """The graph after random edits of layers, and which were edited or taken out."""
    chance = random.Random(seed)
    layers = {layer.id: layer for layer in graph.layers}
    touched: set[str] = set()
    ends = {output.source.value for output in graph.outputs}
    for _ in range(edits):
        layer = layers[chance.choice(sorted(layers))]
        plain = layer.operator == "Relu" and layer.id not in ends
        edit = chance.choice(["attribute", "retype", "delete"]) if plain else "attribute"
        touched.add(layer.id)
        if edit == "delete":
            del layers[layer.id]
            layers = {key: _bypass(other, layer) for key, other in layers.items()}
        else:
            layers[layer.id] = _edit(layer, edit, chance)
    return msgspec.structs.replace(graph, layers=tuple(layers.values())), touched


def _edit(layer: Layer, edit: str, chance: random.Random) -> Layer:
    if edit == "retype":
        return msgspec.structs.replace(layer, operator=chance.choice(["Sigmoid", "Tanh"]))
    attributes = {**layer.attributes, "edited": chance.random()}
    return msgspec.structs.replace(layer, attributes=attributes)


def _bypass(layer: Layer, gone: Layer) -> Layer:
    source = gone.inputs[0]
    inputs = tuple(
        msgspec.structs.replace(operand, value=source.value)
        if operand.value == gone.id
        else operand
        for operand in layer.inputs
    )
    return msgspec.structs.replace(layer, inputs=inputs)


@few
@given(nets, seeds, st.integers(0, 12))
def test_the_other_way_round_is_the_mirror_image(name, seed, edits):
    graph = NETS[name]()
    other = reordered(edited(graph, seed, edits)[0], seed + 1)
    forth, back = compare(graph, other), compare(other, graph)
    assert {(m.a, m.b, m.confidence) for m in forth.matches} == {
        (m.b, m.a, m.confidence) for m in back.matches
    }
    assert sorted(map(_seen, forth.changes)) == sorted(map(_seen_back, back.changes))
    assert forth.unchanged == back.unchanged


def _seen(c: Change) -> str:
    pairs = sorted(c.pairs)
    both = len(pairs) == 1
    return repr((c.kind, c.consequence, c.attribute, both and (c.before, c.after), pairs))


_BACK = {"inserted": "deleted", "deleted": "inserted"}


def _seen_back(c: Change) -> str:
    return _seen(
        msgspec.structs.replace(
            c,
            kind=_BACK.get(c.kind, c.kind),
            before=c.after,
            after=c.before,
            pairs=tuple((b, a) for a, b in c.pairs),
        )
    )


@few
@given(nets, seeds, st.integers(0, 12))
def test_a_layer_is_matched_once_at_most(name, seed, edits):
    graph = NETS[name]()
    diff = compare(graph, reordered(edited(graph, seed, edits)[0], seed))
    assert len({m.a for m in diff.matches}) == len(diff.matches) == len({m.b for m in diff.matches})
    assert all(0 <= m.confidence <= 1 for m in diff.matches)


@few
@given(nets, seeds, st.integers(1, 12))
def test_an_edit_is_told_and_matches_stay_inside_the_graphs(name, seed, edits):
    graph = NETS[name]()
    other, touched = edited(graph, seed, edits)
    diff = compare(graph, other)
    computing = {layer.id for layer in graph.layers if layer.operator != "Dropout"}
    assert diff.verdict == ("different" if touched & computing else "equivalent")
    kept = {layer.id for layer in other.layers} | {entry.id for entry in graph.inputs}
    assert kept >= {one for m in diff.matches for one in m.b}
    assert _layers(diff) >= 1 or not touched


def _layers(diff: Diff) -> int:
    return sum(len(change.pairs) for change in diff.changes)


@few
@given(nets, seeds)
def test_totals_and_counts_add_up(name, seed):
    graph = NETS[name]()
    other = edited(graph, seed, 5)[0]
    diff = compare(graph, other)
    assert sum(diff.kinds.values()) == sum(diff.consequences.values()) == len(diff.changes)
    named = {one for change in diff.changes for a, _ in change.pairs for one in a}
    assert diff.unchanged == len({layer.id for layer in graph.layers} - named)


@pytest.mark.parametrize("name", sorted(NETS))
def test_the_same_bytes_every_time(name):
    graph = NETS[name]()
    other = reordered(edited(graph, 3, 6)[0], 4)
    assert encode(compare(graph, other)) == encode(compare(graph, other))


def widths(*sizes: int) -> LayerGraph:
    """A dense block: every layer reads all that was made before it."""
    net = Net((1, 16, 8, 8))
    last = "input-1"
    for out in sizes:
        inner = net.conv(net.relu(net.norm(last)), 64)
        last = net.concat(last, net.conv(net.relu(net.norm(inner)), out, 3, 1, 1))
    return net.graph(net.dense(net.global_pool(last), 10))


def test_a_block_wider_by_what_the_next_ones_grow_does_not_shift_them():
    ours, theirs = widths(*[32] * 12), widths(*[32] * 3, 64, *[32] * 8)
    there = compare(ours, theirs).counterpart()
    assert all(there[layer.id] == (layer.id,) for layer in ours.layers)


def test_an_activation_after_the_joint_is_no_other_branch():
    """Three convolutions of one input: one port activates each, the other what they make."""

    def branches(*, after: bool) -> LayerGraph:
        net = Net((1, 32, 14, 14))
        last = "input-1"
        for _ in range(3):
            ends = [net.conv(last, out, k, 1, k // 2) for out, k in ((8, 1), (16, 3), (8, 5))]
            joint = net.concat(*(ends if after else map(net.relu, ends)))
            last = net.relu(joint) if after else joint
        return net.graph(last)

    ours, theirs = branches(after=False), branches(after=True)
    there = compare(ours, theirs).counterpart()
    convolutions = [layer.id for layer in ours.layers if layer.operator == "Conv"]
    assert [there[name] for name in convolutions] == [(name,) for name in convolutions]
