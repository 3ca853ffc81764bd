"""What only one side has, where the layers beside it could stand for it as well."""

from msgspec.structs import replace

from modeldocs.diff import compare
from modeldocs.ir import LayerGraph

from .graphs import Net, layer_norm

WIDTH = 64


def blocks(
    *, without: int = -1, plain: bool = False
) -> tuple[LayerGraph, dict[str, tuple[str, ...]]]:
    """Six halves of transformer blocks, the layers of each by name; one may be left out."""
    net = Net((1, 16, WIDTH))
    last, ids = "input-1", {}
    for place in range(6):
        if place == without:
            continue
        start = layer_norm(net, last)
        if place % 2:
            gelu = net.linear(start, 4 * WIDTH)
            gelu = gelu if plain and place == 3 else net.same("Gelu", gelu)
            end = net.linear(gelu, WIDTH)
        else:
            q, k, v = (net.linear(start, WIDTH) for _ in range(3))
            mixed = net.add("Attention", [q, k, v], (1, 16, WIDTH))
            end = net.linear(mixed, WIDTH)
        last = net.join(end, last)
        ids[str(place)] = (start, end, last)
    return net.graph(layer_norm(net, last)), ids


def test_of_two_sums_the_one_that_reads_the_same_is_kept():
    a, ours = blocks()
    b, theirs = blocks(without=3)
    diff = compare(a, b)
    counterparts = {match.a: match.b for match in diff.matches}
    assert [change.kind for change in diff.changes] == ["deleted"]
    assert all(counterparts[ours[place][2],] == (theirs[place][2],) for place in theirs)


def test_an_activation_gone_beside_a_block_that_is_gone_is_told_by_itself():
    a, _ = blocks()
    b, _ = blocks(without=4, plain=True)
    told = sorted(compare(a, b).changes, key=lambda change: change.operator or "")
    assert [(change.kind, change.operator) for change in told] == [
        ("deleted", ""),
        ("deleted", "Gelu"),
    ]


def test_what_is_slid_is_told_the_same_from_either_side():
    a, _ = blocks()
    b, _ = blocks(without=3)
    ahead, back = compare(a, b), compare(b, a)
    assert {(m.a, m.b) for m in ahead.matches} == {(m.b, m.a) for m in back.matches}


def test_a_product_gone_from_before_a_split_is_one_layer():
    def net(*, bare: bool) -> LayerGraph:
        network = Net((1, 16, 3 * WIDTH))
        start = network.same("Tanh", "input-1")
        whole = start if bare else network.linear(start, 3 * WIDTH)
        cut = network.add("Split", [whole], (1, 16, WIDTH), {"axis": -1, "num_outputs": 3})
        layer = network.layers[-1]
        network.layers[-1] = replace(layer, outputs=layer.outputs * 3)
        mixed = network.add("Attention", [cut] * 3, (1, 16, WIDTH))
        layer = network.layers[-1]
        parts = (replace(one, output=place) for place, one in enumerate(layer.inputs))
        network.layers[-1] = replace(layer, inputs=tuple(parts))
        return network.graph(mixed)

    diff = compare(net(bare=False), net(bare=True))
    assert [(change.kind, change.operator) for change in diff.changes] == [("deleted", "MatMul")]
    assert (("split-1",), ("split-1",)) in {(match.a, match.b) for match in diff.matches}
