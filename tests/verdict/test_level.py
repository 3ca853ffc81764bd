"""The steps of a verdict, from real diffs of small networks and the results of running them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from modeldocs import diff as engine
from modeldocs import verdict
from modeldocs.diff import (
    Direction,
    Divergence,
    MappedWeight,
    Parity,
    Returned,
    Uncompared,
    Weights,
)
from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.verdict import VerdictLevel, output_head

from ..diff.graphs import Net

SMALL = Difference(absolute=1e-7, relative=3e-7)
LARGE = Difference(absolute=5.0, relative=3.0)
INCOMPARABLE = Difference()
EQUAL = Returned("y", "y", (0, 0), "equal", SMALL)
OTHER = Returned("y", "y", (0, 0), "apart", LARGE)
SATURATED = Returned("y", "y", (0, 0), "unknown")
HOLDS = Direction(outputs=SMALL, compared=3, returned=(EQUAL,))
Graphs = tuple[LayerGraph, LayerGraph]


def network(*head: str, epsilon: float = 1e-5, bias: bool = False, scores: int = 5) -> LayerGraph:
    """A classifier that ends in the layers `head`."""
    net = Net((1, 3, 8, 8))
    value = net.norm(net.conv("input-1", 4, 3, bias=bias), epsilon)
    value = net.conv(net.relu(value), scores, 6)
    for operator in head:
        value = net.same(operator, value)
    return net.graph()


def apart(change: int | None = 1, error: Difference = LARGE, **more: object) -> Direction:
    """A direction whose first divergence is at the first convolution."""
    first = Divergence(pair=(("conv-1",), ("conv-1",)), error=error, change=change)
    found = {"outputs": error, "first": first, "divergences": (first,), "returned": (OTHER,)}
    return Direction(compared=3, **(found | more))


def step(
    graphs: Graphs, ahead: Direction | None = None, back: Direction | None = None
) -> VerdictLevel:
    diff = engine.compare(*graphs)
    if ahead is not None:
        parity = Parity(a_to_b=ahead, b_to_a=back or ahead)
        diff = msgspec.structs.replace(diff, parity=parity)
    return verdict.step(diff, graphs)


SAME = network("Softmax"), network("Softmax")
HEADS = network("Softmax"), network()
EPSILON = network(), network(epsilon=1e-3)
BIAS = network(), network(bias=True)
ENDS_IN_HEAD = apart(error=LARGE, end=(("softmax-1",), ("logsoftmax-1",)))
TURNED = MappedWeight(
    target="w", pair=((), ()), shape=(1,), dtype="float32", steps=(), text="turned", turned=True
)


@pytest.mark.parametrize(
    ("graphs", "directions", "expected"),
    [
        (SAME, (HOLDS,), verdict.SAME),
        (SAME, (), verdict.BY_STRUCTURE),
        (SAME, (apart(None),), verdict.DIFFERENT_RESULTS),
        (SAME, (HOLDS, apart(None)), verdict.HELD_DIFFERENTLY),
        (HEADS, (), verdict.UP_TO_HEAD),
        (HEADS, (HOLDS,), verdict.UP_TO_HEAD),
        (HEADS, (apart(None),), verdict.DIFFERENT_RESULTS),
        (HEADS, (HOLDS, apart(None)), verdict.HELD_DIFFERENTLY),
        (EPSILON, (), verdict.DIFFERENT_RESULTS),
        (EPSILON, (apart(),), verdict.DIFFERENT_RESULTS),
        (EPSILON, (HOLDS,), verdict.PARTLY_COMPARED),
        (BIAS, (), verdict.DIFFERENT_RESULTS),
        (BIAS, (HOLDS, apart()), verdict.HELD_DIFFERENTLY),
        (BIAS, (HOLDS,), verdict.HELD_DIFFERENTLY),
        (BIAS, (apart(),), verdict.DIFFERENT_RESULTS),
    ],
)
def test_a_step_follows_from_the_changes_and_from_the_numbers_of_both_directions(
    graphs: Graphs, directions: tuple[Direction, ...], expected: VerdictLevel
) -> None:
    assert step(graphs, *directions).word == expected.word


def test_a_pair_of_which_a_port_did_not_load_is_not_different() -> None:
    assert verdict.step(None, None) == verdict.NOT_LOADED


def test_numbers_that_failed_to_run_are_not_other_numbers() -> None:
    diff = engine.compare(*SAME)
    stopped = Parity(failure=Failure(reason="was stopped"))
    assert verdict.step(msgspec.structs.replace(diff, parity=stopped), SAME) == (
        verdict.BY_STRUCTURE
    )


def test_a_layer_that_could_not_be_run_leaves_a_pair_unproven() -> None:
    skipped = Uncompared(pair=(("relu-1",), ("relu-1",)), reason="onnxruntime lacks it")
    assert step(SAME, msgspec.structs.replace(HOLDS, uncompared=(skipped,))) == (
        verdict.BY_STRUCTURE
    )


def test_a_saturated_softmax_is_no_difference() -> None:
    """Its output cannot be compared, and no layer alone gives other numbers."""
    saturated = Direction(outputs=INCOMPARABLE, compared=3, returned=(SATURATED,))
    assert step(SAME, saturated) == verdict.BY_STRUCTURE
    assert step(SAME, HOLDS, saturated) == verdict.BY_STRUCTURE
    assert step(SAME, apart(None, INCOMPARABLE)) == verdict.DIFFERENT_RESULTS


def test_the_same_in_another_order_has_a_step_of_its_own() -> None:
    moved = (Returned("y", "z", (0, 1), "equal", SMALL), Returned("z", "y", (1, 0), "equal", SMALL))
    assert (
        step(SAME, msgspec.structs.replace(HOLDS, returned=moved)) == verdict.RETURNED_DIFFERENTLY
    )


def test_a_turned_kernel_is_a_parameter_held_differently() -> None:
    turned = msgspec.structs.replace(HOLDS, weights=Weights(mapped=(TURNED,)))
    assert step(SAME, HOLDS, turned) == verdict.HELD_DIFFERENTLY


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("Softmax",), ()),
        ((), ("LogSoftmax",)),
        (("Softmax",), ("LogSoftmax",)),
        (("Softmax", "Log"), ("Softmax",)),
        (("Sigmoid",), ("Softmax",)),
        (("Softmax",), ("Sigmoid", "Dropout")),
    ],
)
def test_activations_at_the_end_are_the_head(a: tuple[str, ...], b: tuple[str, ...]) -> None:
    graphs = network(*a), network(*b)
    for one, other in (graphs, graphs[::-1]):
        assert step((one, other)) == verdict.UP_TO_HEAD


def test_a_head_that_was_run_may_give_other_numbers_and_nothing_before_it_may() -> None:
    graphs = network("Softmax"), network("LogSoftmax")
    assert step(graphs, ENDS_IN_HEAD) == verdict.UP_TO_HEAD
    before = apart(None, end=(("softmax-1",), ("logsoftmax-1",)))
    assert step(graphs, before) == verdict.DIFFERENT_RESULTS


def test_other_scores_or_a_grave_change_beside_the_head_are_not_the_head() -> None:
    assert step((network("Softmax"), network(scores=6))) == verdict.DIFFERENT_RESULTS
    assert step((network("Softmax"), network(epsilon=1e-3))) == verdict.DIFFERENT_RESULTS
    assert step((network("Relu"), network())) == verdict.DIFFERENT_RESULTS


def inside(*operators: str) -> LayerGraph:
    """A gate within the network: an activation before a layer with weights."""
    net = Net((1, 3, 8, 8))
    value = net.conv("input-1", 4, 3)
    for operator in operators:
        value = net.same(operator, value)
    net.conv(value, 5, 6)
    return net.graph()


def mixed(*operators: str) -> LayerGraph:
    """Attention without a projection behind it: what follows the softmax computes with it."""
    net = Net((1, 4, 8, 8))
    scores = value = net.conv("input-1", 4, 1)
    for operator in operators:
        value = net.same(operator, value)
    net.add("Mul", [value, scores], net.shape(value))
    return net.graph()


@pytest.mark.parametrize("build", [inside, mixed])
@pytest.mark.parametrize("operator", ["Softmax", "Sigmoid"])
def test_an_activation_that_something_reads_is_not_the_head(
    build: Callable[..., LayerGraph], operator: str
) -> None:
    graphs = build(operator), build()
    assert not output_head.changes(engine.compare(*graphs), graphs)
    assert step(graphs, HOLDS) == verdict.PARTLY_COMPARED


def test_one_of_several_heads_may_differ() -> None:
    def detector(*operators: str) -> LayerGraph:
        net = Net((1, 3, 8, 8))
        trunk = net.relu(net.conv("input-1", 4, 3))
        boxes, classes = net.conv(trunk, 8, 3), net.conv(trunk, 12, 3)
        for operator in operators:
            classes = net.same(operator, classes)
        return net.graph(boxes, classes)

    assert step((detector("Softmax"), detector())) == verdict.UP_TO_HEAD


def test_different_networks_have_other_numbers() -> None:
    net = Net((1, 3, 64, 64))
    last = "input-1"
    for width in (8, 16, 32):
        last = net.pool(net.conv(last, width, 5), 2, 2)
    assert step((network(), net.graph())) == verdict.DIFFERENT_RESULTS
