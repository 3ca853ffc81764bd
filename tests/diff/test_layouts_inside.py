"""Stretches of a network that see their axes in another order, and compute the same."""

from __future__ import annotations

from math import prod

import msgspec
import pytest

from modeldocs.diff import compare
from modeldocs.ir import Constant, LayerGraph, Step, TensorType

from ..steps import reshaped, transposed
from .graphs import Net

HEADS_FIRST, HEADS_LATER = (1, 4, 6, 8), (1, 6, 4, 8)


def seen(net: Net, source: str, shape: tuple[int, ...], *steps: Step) -> str:
    """A value as the next layer reads it, past plumbing."""
    key = f"{source} as {shape} {steps}"
    net.types[key] = TensorType(shape=shape, dtype="float32")
    net.views[key] = (source, steps)
    return key


class Views(Net):
    """A net whose layers may read values through plumbing."""

    def __init__(self, *inputs: tuple[int, ...]) -> None:
        super().__init__(*inputs)
        self.views: dict[str, tuple[str, tuple[str, ...]]] = {}

    def graph(self, *outputs: str) -> LayerGraph:
        graph = super().graph(*outputs)
        layers = tuple(
            msgspec.structs.replace(layer, inputs=tuple(map(self._read, layer.inputs)))
            for layer in graph.layers
        )
        return msgspec.structs.replace(graph, layers=layers)

    def _read(self, operand):
        source, steps = self.views.get(operand.value, (operand.value, operand.steps))
        return msgspec.structs.replace(operand, value=source, steps=steps)


def rotary(*, later: bool, table: str = "a1b2c3", turned_back: bool = True) -> LayerGraph:
    """x * cos + [-x2; x1] * sin of heads, which stand before the positions, or behind them."""
    net = Views((1, 6, 32))
    query = net.dense("input-1", 32)
    shape = HEADS_LATER if later else HEADS_FIRST
    split = reshaped((1, 6, 32), (1, 6, 4, 8))
    steps = (split,) if later else (split, transposed(0, 2, 1, 3))
    told = Constant(dtype="float32", shape=(6, 1, 8) if later else (6, 8), digest=table)
    heads = seen(net, query, shape, *steps)
    first = net.add("Mul", [heads], shape, {"B": told})
    bent = net.same("Neg", heads)
    joined = net.add("Concat", [bent, heads], (*shape[:3], 16), {"axis": 3})
    half = net.add("Slice", [joined], shape, {"axes": 3, "starts": 4, "ends": 12})
    both = net.add("Add", [first, half], shape)
    if later or not turned_back:
        last = seen(net, both, (1, 6, 32), reshaped(shape, (1, 6, 32)))
    else:
        last = seen(
            net, both, (1, 6, 32), transposed(0, 2, 1, 3), reshaped((1, 6, 4, 8), (1, 6, 32))
        )
    return net.graph(net.dense(last, 10))


def consequences(a: LayerGraph, b: LayerGraph) -> list[str]:
    return [change.consequence for change in compare(a, b).changes]


def test_another_order_of_axes_on_the_way_is_one_line_of_spelling():
    changes = compare(rotary(later=False), rotary(later=True)).changes
    assert [change.consequence for change in changes] == ["spelling"]
    assert changes[0].title.endswith("axes in another order")
    assert "1×4×6×8 → 1×6×4×8" in changes[0].title


def test_matches_say_how_elements_are_turned():
    ours, theirs = rotary(later=False), rotary(later=True)
    for a, b in ((ours, theirs), (theirs, ours)):
        matches = {match.a[0]: match for match in compare(a, b).matches}
        sizes = HEADS_FIRST[1:] if a is ours else HEADS_LATER[1:]
        assert (matches["mul-1"].sizes, matches["mul-1"].order) == (sizes, (1, 0, 2))
        assert matches["gemm-1"].order == () == matches["gemm-2"].order


def test_a_table_of_other_numbers_is_told_whatever_the_order():
    told = consequences(rotary(later=False), rotary(later=True, table="ffff00"))
    assert told.count("computes") == 1


def test_an_order_that_is_not_put_back_computes_something_else():
    changes = compare(rotary(later=False), rotary(later=False, turned_back=False)).changes
    assert [(change.attribute, change.consequence) for change in changes] == [
        ("order of axes", "spelling"),  # a dense layer's weights can make up for it
    ]
    assert "computes" in consequences(rotary(later=True), rotary(later=False, turned_back=False))


@pytest.mark.parametrize(("start", "means"), [(6, []), (8, ["computes"])])
def test_rows_that_are_cut_off_an_image_or_off_all_its_pixels(start, means):
    def net(*, flat: bool) -> LayerGraph:
        net = Views((1, 4, 6, 8))
        shape = (1, 24, 8) if flat else (1, 4, 6, 8)
        steps = (reshaped((1, 4, 6, 8), (1, 24, 8)),) if flat else ()
        first = net.add("Relu", [seen(net, "input-1", shape, *steps)], shape)
        rows = (4 - 1) if not flat else 24 - start
        shape = (1, rows, 8) if flat else (1, rows, 6, 8)
        cut = {"axes": 1, "starts": start if flat else 1, "ends": 24 if flat else 4}
        last = net.add("Slice", [first], shape, cut)
        size = prod(shape)
        flattened = seen(net, last, (1, size), reshaped(shape, (1, size)))
        return net.graph(net.dense(flattened, 10))

    told = compare(net(flat=False), net(flat=True)).changes
    assert [one.consequence for one in told if one.operator == "Slice"][: len(means)] == means
    if not means:
        assert {one.consequence for one in told} == {"spelling"}


def projected(*, by_head: bool) -> LayerGraph:
    """Queries, keys and values of one product that holds them head by head, or of three."""
    net = Views((1, 16, 64))
    if by_head:
        whole = seen(
            net, net.linear("input-1", 192), (1, 16, 4, 48), reshaped((1, 16, 192), (1, 16, 4, 48))
        )
        cuts = [
            net.add("Slice", [whole], (1, 16, 4, 16), {"axes": 3, "starts": at, "ends": at + 16})
            for at in (0, 16, 32)
        ]
        parts = [seen(net, cut, (1, 16, 64), reshaped((1, 16, 4, 16), (1, 16, 64))) for cut in cuts]
    else:
        parts = [net.linear("input-1", 64) for _ in range(3)]
    return net.graph(net.linear(net.add("Attention", parts, (1, 16, 64), {"num_heads": 4}), 64))


def test_a_product_that_holds_its_parts_head_by_head():
    diff = compare(projected(by_head=True), projected(by_head=False))
    assert [change.title for change in diff.changes] == ["MatMul + 3 Slice in A, 3 MatMul in B"]
    assert diff.verdict == "equivalent"
