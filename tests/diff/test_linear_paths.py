"""Lines of a branching network: each is matched as a whole, not layer by layer."""

from modeldocs.diff import Diff, compare
from modeldocs.ir import LayerGraph

from .graphs import Net


def branched(
    *, first: bool = True, middle: bool = True, extra: bool = False, shortcut: bool = True
) -> LayerGraph:
    """Three branches behind a pooling: 1x1 → 3x3 → 3x3, an average, a single 1x1."""
    net = Net((1, 3, 64, 64))

    def unit(source: str, out: int, k: int = 1, p: int = 0, *, conv: bool = True) -> str:
        return net.relu(net.norm(net.conv(source, out, k, 1, p) if conv else source))

    stem = unit("input-1", 48)
    stem = net.pool(stem, 3, 1, 1) if first else stem
    deep = unit(unit(unit(stem, 32), 40, 3, 1, conv=middle), 40, 3, 1)
    mean = net.conv(net.pool(stem, 3, 1, 1, operator="AveragePool"), 24)
    last = net.conv(net.relu(net.norm(mean)), 24) if extra else net.relu(net.norm(mean))
    joined = [deep, last, unit(stem, 16)] if shortcut else [deep, last]
    return net.graph(net.dense(net.global_pool(net.concat(*joined)), 10))


def alone(diff: Diff) -> list[tuple[str, str]]:
    return sorted((c.kind, c.operator) for c in diff.changes if c.kind in ("inserted", "deleted"))


def test_a_convolution_gone_from_a_branch_leaves_its_norm_where_it_was():
    assert alone(compare(branched(), branched(middle=False))) == [("deleted", "Conv")]
    assert alone(compare(branched(middle=False), branched())) == [("inserted", "Conv")]


def test_a_convolution_at_the_end_of_a_branch_takes_no_other_ones_place():
    assert alone(compare(branched(), branched(extra=True))) == [("inserted", "Conv")]


def test_a_pooling_gone_from_before_the_branches_is_not_that_of_a_branch():
    assert alone(compare(branched(), branched(first=False))) == [("deleted", "MaxPool")]


def stages(*, pool: bool = True, extra: bool = False) -> LayerGraph:
    """Two stages of residual blocks, the second of half the size and twice the channels."""
    net = Net((1, 3, 64, 64))
    last = net.relu(net.norm(net.conv("input-1", 32, 3, 1, 1)))
    last = net.pool(last, 3, 2, 1) if pool else last
    for stage in range(3):
        width = 32 * 2**stage
        for block in range(4):
            stride = 2 if stage and not block else 1
            inner = net.relu(net.norm(net.conv(last, width // 4)))
            inner = net.relu(net.norm(net.conv(inner, width // 4, 3, stride, 1)))
            if extra and stage == 2 and block == 1:
                inner = net.conv(inner, width // 4)
            inner = net.norm(net.conv(inner, width))
            skip = last if block else net.norm(net.conv(last, width, 1, stride))
            last = net.relu(net.join(inner, skip))
    return net.graph(net.dense(net.global_pool(last), 10))


def test_resolutions_doubled_by_a_pooling_gone_shift_no_block():
    diff = compare(stages(), stages(pool=False, extra=True))
    assert alone(diff) == [("deleted", "MaxPool"), ("inserted", "Conv")]
    assert len(diff.matches) == diff.a.layers
