"""Planted edits leave sound graphs, and the scoring knows what is right."""

from collections import Counter
from math import prod

import msgspec
import pytest

from evaluation.diff import shapes
from evaluation.diff.mutations import KINDS, mutate
from evaluation.diff.scoring import Judge, score
from modeldocs.diff import Change, Diff, Match
from modeldocs.ir import Layer, LayerGraph, Operand
from tests.diff.graphs import Net, inception, resnet50, transformer, twins
from tests.steps import reshaped, transposed

SEEDS = range(4)


def as_loaded(graph: LayerGraph) -> LayerGraph:
    """A net of the diff's tests with the plumbing on its edges told, as a loader does."""
    replace = msgspec.structs.replace

    def told(layer: Layer, held: Operand) -> Operand:
        shape = held.type.shape
        flat, turned = (shape[0], prod(shape[1:])), (*shape[:-2], shape[-1], shape[-2])
        if layer.operator == "Gemm" and len(shape) == 4:
            return replace(
                held, type=replace(held.type, shape=flat), steps=(reshaped(shape, flat),)
            )
        if layer.operator == "MatMul" and held.slot and layer.outputs[0].shape[-1] == shape[1]:
            return replace(
                held, type=replace(held.type, shape=turned), steps=(transposed(0, 2, 1),)
            )
        return held

    layers = (replace(x, inputs=tuple(told(x, one) for one in x.inputs)) for x in graph.layers)
    return replace(graph, layers=tuple(layers))


NETS = {
    "resnet": lambda: as_loaded(resnet50()),
    "inception": lambda: as_loaded(inception(4)),
    "transformer": lambda: as_loaded(transformer()),
}


def inferred(graph: LayerGraph) -> LayerGraph:
    """The graph with every shape and parameter inferred from what its layer reads."""
    replace = msgspec.structs.replace
    return replace(graph, layers=tuple(shapes.inferred(layer) for layer in graph.layers))


def types(graph: LayerGraph) -> list[object]:
    return [(x.outputs, x.inputs, [p.shape for p in x.parameters]) for x in graph.layers]


def right(mutated) -> Diff:
    """The diff that maps as was planted, and tells nothing."""
    totals = mutated.graph.totals()
    matches = [Match(a=a, b=b, reason="", confidence=1.0) for a, b in mutated.mapping]
    return Diff(verdict="different", names=("", ""), a=totals, b=totals, matches=tuple(matches))


@pytest.mark.parametrize("build", NETS.values(), ids=NETS)
def test_shapes_are_inferred_as_a_loader_tells_them(build):
    assert types(inferred(build())) == types(build())


@pytest.mark.parametrize("build", NETS.values(), ids=NETS)
def test_a_mutated_graph_is_sound(build):
    for seed in SEEDS:
        graph = mutate(build(), 20, seed).graph
        known = {entry.id for entry in graph.inputs}
        for layer in graph.layers:
            assert known.issuperset(operand.value for operand in layer.inputs)
            known.add(layer.id)
        assert len(known) == len(graph.inputs) + len(graph.layers)
        assert types(inferred(graph)) == types(graph)


@pytest.mark.parametrize("build", NETS.values(), ids=NETS)
def test_nothing_is_called_what_it_was(build):
    old, new = build(), mutate(build(), 5, 0).graph
    for told in (lambda g: [x.id for x in g.layers], lambda g: g.parameters()):
        assert set(told(old)).isdisjoint(told(new))


def test_every_layer_is_mapped_put_in_or_taken_out():
    old = resnet50()
    mutated = mutate(old, 30, 1)
    gone = [name for edit in mutated.edits if not edit.new for name in edit.old]
    come = [name for edit in mutated.edits if not edit.old for name in edit.new]
    ours = [name for a, _ in mutated.mapping for name in a] + gone
    theirs = [name for _, b in mutated.mapping for name in b] + come
    inputs = ["input-1"]
    assert Counter(ours) == Counter(inputs + [layer.id for layer in old.layers])
    assert Counter(theirs) == Counter(inputs + [layer.id for layer in mutated.graph.layers])


def test_no_two_edits_touch_the_same_layer():
    for seed in SEEDS:
        held = Counter(name for edit in mutate(inception(4), 20, seed).edits for name in edit.old)
        assert max(held.values()) == 1


def branches() -> LayerGraph:
    """Two convolutions of unlike width, joined."""
    net = Net((1, 8, 14, 14))
    return net.graph(
        net.relu(net.concat(net.conv("input-1", 8), net.conv("input-1", 16, bias=True)))
    )


def test_every_kind_of_edit_is_planted():
    planted = [mutate(branches(), 2, seed) for seed in range(20)]
    planted += [mutate(resnet50(), 20, seed) for seed in range(12)]
    kinds = {edit.kind for mutated in planted for edit in mutated.edits}
    assert kinds == {kind.__name__.replace("_", " ") for kind, _ in KINDS}


def test_the_same_seed_plants_the_same():
    assert mutate(resnet50(), 5, 3) == mutate(resnet50(), 5, 3)
    assert mutate(resnet50(), 5, 3) != mutate(resnet50(), 5, 4)


def test_the_true_mapping_scores_full_and_finds_nothing():
    mutated = mutate(resnet50(), 10, 0)
    made = score(Judge(resnet50(), mutated), right(mutated))
    assert (made.f1, made.recall, made.precision) == (1.0, 0.0, 1.0)
    assert sum(made.planted.values()) == 10


def test_layers_that_nothing_tells_apart_may_change_places():
    mutated = mutate(twins(), 0, 0)
    pairs = {match.a[0]: match for match in right(mutated).matches}
    pairs["conv-1"], pairs["conv-4"] = (
        msgspec.structs.replace(pairs["conv-1"], b=pairs["conv-4"].b),
        msgspec.structs.replace(pairs["conv-4"], b=pairs["conv-1"].b),
    )
    swapped = msgspec.structs.replace(right(mutated), matches=tuple(pairs.values()))
    assert score(Judge(twins(), mutated), swapped).f1 == 1.0


def test_a_change_is_found_or_made_up():
    mutated = mutate(resnet50(), 1, 9)
    (edit,) = mutated.edits
    kinds = {"delete": "deleted", "insert": "inserted", "retype": "operator"}
    kind = kinds.get(edit.kind, edit.kind)
    told = Change(
        kind=kind,
        consequence="computes",
        title="",
        text="",
        pairs=((edit.old, edit.new), (("conv-1",), ())),
        attribute=edit.attribute,
    )
    diff = msgspec.structs.replace(right(mutated), changes=(told,))
    made = score(Judge(resnet50(), mutated), diff)
    assert (made.recall, made.precision, len(made.extra)) == (1.0, 0.5, 1)
