"""Layers that stand elsewhere, sums joined at once, and parts packed in another order."""

from modeldocs.diff import Change, compare
from modeldocs.ir import LayerGraph

from .graphs import Net


def real(a: LayerGraph, b: LayerGraph) -> list[Change]:
    return [change for change in compare(a, b).changes if change.consequence != "spelling"]


def _normed(net: Net, source: str) -> str:
    return net.add(
        "LayerNormalization", [source], net.shape(source), {"epsilon": 1e-5}, {"scale": (64,)}
    )


def blocks(*, first: bool, count: int = 2) -> LayerGraph:
    """Blocks of two dense branches, normalised before each branch or behind each sum."""
    net = Net((1, 16, 64))
    last = net.linear("input-1", 64)
    for width in (96, 128)[:count]:
        for wide in (width, width + 16):
            read = _normed(net, last) if first else last
            product = net.linear(net.relu(net.linear(read, wide)), 64)
            last = net.join(last, product)
            last = last if first else _normed(net, last)
    return net.graph(net.linear(last, 10))


def test_norms_before_each_branch_or_behind_each_sum_are_moved():
    (change,) = real(blocks(first=False), blocks(first=True))
    assert (change.kind, change.operator) == ("moved", "LayerNormalization")
    assert len(change.pairs) == 4


def branches(*, at_once: bool) -> LayerGraph:
    """A second branch that reads the sum with the first, or what that reads."""
    net = Net((1, 16, 64))
    start = net.linear("input-1", 64)
    one = net.linear(net.relu(net.linear(start, 96)), 64)
    if at_once:
        two = net.linear(net.relu(net.linear(start, 128)), 64)
        return net.graph(net.linear(net.add("Sum", [start, one, two], (1, 16, 64)), 10))
    both = net.join(start, one)
    two = net.linear(net.relu(net.linear(both, 128)), 64)
    return net.graph(net.linear(net.join(both, two), 10))


def test_branches_side_by_side_read_something_else():
    (change,) = real(branches(at_once=False), branches(at_once=True))
    assert (change.kind, change.operator) == ("rewired", "MatMul")


def packed(*orders: str) -> LayerGraph:
    """Gated blocks: `gu` and `ug` cut one product, `g, u` make both apart."""
    net = Net((1, 16, 64))
    last = net.linear("input-1", 64)
    for order in orders:
        if order == "apart":
            parts = {"g": net.linear(last, 48), "u": net.linear(last, 48)}
        else:
            whole = net.linear(last, 96)
            parts = {
                role: net.add(
                    "Slice",
                    [whole],
                    (1, 16, 48),
                    {"axes": 2, "starts": 48 * place, "ends": 48 * (place + 1)},
                )
                for place, role in enumerate(order)
            }
        product = net.add("Mul", [net.same("Swish", parts["g"]), parts["u"]], (1, 16, 48))
        last = net.join(last, net.linear(product, 64))
    return net.graph(last)


def test_one_block_that_packs_its_parts_otherwise_than_the_rest_is_told():
    (change,) = real(packed("apart", "apart", "apart"), packed("gu", "gu", "ug"))
    assert (change.kind, change.operator) == ("rewired", "Swish")
    assert "swapped in one Swish layer" in change.title


def test_the_order_of_packed_parts_alone_says_nothing():
    assert not real(packed("apart", "apart"), packed("ug", "ug"))
