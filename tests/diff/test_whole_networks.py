"""What is told of whole blocks, of what stands before a network, and of different networks."""

from __future__ import annotations

import pytest

from modeldocs.diff import Diff, compare
from modeldocs.ir import LayerGraph

from .graphs import NETS, Net, inception, resnet50, transformer


def told(diff: Diff) -> list[str]:
    return [change.title for change in diff.changes if change.consequence != "spelling"]


def residual(blocks: tuple[int, ...]) -> LayerGraph:
    return resnet50(blocks=blocks, size=64)


def test_blocks_that_one_side_has_more_are_one_line():
    diff = compare(residual((2, 2, 2, 2)), residual((3, 4, 6, 3)))
    (line,) = told(diff)
    assert line.startswith("8 blocks of 10 layers (Conv + BatchNormalization + Relu + Conv + …)")
    assert diff.changes[0].parameter_delta == diff.b.parameters - diff.a.parameters


def test_blocks_at_every_place_are_told_once():
    shallow, deep = transformer(4), transformer(6)
    (line,) = told(compare(shallow, deep))
    assert line.startswith("2 blocks of ") and "only in B" in line


@pytest.mark.parametrize(
    ("steps", "formula"),
    [
        ([("Mul", 1 / 255)], "x / 255"),
        ([("Mul", 1 / 127.5), ("Add", -1.0)], "x / 127.5, then x − 1"),
        ([("Sub", [123.7, 116.3, 103.5]), ("Div", 58.0)], "(x − (123.7, 116.3, 103.5)) / 58"),
        ([("Div", 255.0), ("Sub", 0.5), ("Div", 0.25)], "x / 255, then (x − 0.5) / 0.25"),
    ],
)
def test_preprocessing_is_one_line_with_its_formula(steps, formula):
    def net(*, prepared: bool) -> LayerGraph:
        network = Net((1, 3, 16, 16))
        last = "input-1"
        for operator, constant in steps if prepared else ():
            last = network.same(operator, last, B=constant)
        return network.graph(network.relu(network.conv(last, 8, 3, 2, 1)))

    raw, prepared = net(prepared=False), net(prepared=True)
    assert told(compare(prepared, raw)) == [f"preprocessing only in A: {formula}"]
    assert told(compare(raw, prepared)) == [f"preprocessing only in B: {formula}"]


def test_different_networks_are_said_to_be():
    diff = compare(inception(4), transformer(8))
    (line,) = told(diff)
    assert line.startswith("different networks: 0 layers in common, of ")
    assert diff.verdict == "different"
    assert diff.changes[0].parameter_delta == diff.b.parameters - diff.a.parameters
    assert not any(match.a[0].startswith("conv") for match in diff.matches)


def test_a_network_of_another_width_is_the_same_network():
    def net(width: int) -> LayerGraph:
        network = Net((1, 3, 32, 32))
        last = "input-1"
        for _ in range(10):
            last = network.relu(network.conv(last, width, 3, 1, 1))
        return network.graph(last)

    assert not any(line.startswith("different") for line in told(compare(net(8), net(16))))


def depthwise(*, inverted: bool) -> LayerGraph:
    """Depthwise and pointwise convolutions, three in a row with a widening one, or two."""
    network = Net((1, 16, 16, 16))
    last = "input-1"
    for _ in range(2):
        if inverted:
            last = network.relu(network.conv(last, 16, 1))
        last = network.relu(network.conv(last, 16, 3, 1, 1, group=16))
        last = network.conv(last, 16, 1)
    return network.graph(last)


def test_a_depthwise_convolution_is_no_counterpart_of_a_pointwise_one():
    diff = compare(depthwise(inverted=False), depthwise(inverted=True))
    assert all(not (c.attribute or "").startswith(("kernel", "group")) for c in diff.changes)


@pytest.mark.parametrize("name", sorted(NETS))
@pytest.mark.parametrize("other", sorted(NETS))
def test_the_lines_add_up_to_the_difference_of_the_parameters(name, other):
    diff = compare(NETS[name](), NETS[other]())
    assert sum(c.parameter_delta for c in diff.changes) == diff.b.parameters - diff.a.parameters


@pytest.mark.parametrize("name", sorted(NETS))
@pytest.mark.parametrize("other", sorted(NETS))
def test_the_diff_the_other_way_is_the_mirror_image(name, other):
    there, back = compare(NETS[name](), NETS[other]()), compare(NETS[other](), NETS[name]())
    assert {(m.a, m.b) for m in there.matches} == {(m.b, m.a) for m in back.matches}
    assert [c.parameter_delta for c in there.changes] == [-c.parameter_delta for c in back.changes]
    assert [len(c.pairs) for c in there.changes] == [len(c.pairs) for c in back.changes]


def test_outputs_in_another_order_are_spelling():
    def net(*, turned: bool) -> LayerGraph:
        network = Net((1, 8, 8, 8))
        a, b = network.conv("input-1", 4), network.conv("input-1", 6, 3, 1, 1)
        return network.graph(*((b, a) if turned else (a, b)))

    diff = compare(net(turned=False), net(turned=True))
    assert [change.title for change in diff.changes] == ["outputs in another order"]
    assert diff.verdict == "equivalent"
