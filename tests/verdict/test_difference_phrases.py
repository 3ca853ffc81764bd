"""What sets ports apart, in words, from the diffs of small networks."""

from __future__ import annotations

import msgspec
import pytest

from modeldocs import diff as engine
from modeldocs import verdict
from modeldocs.diff import KINDS, Change
from modeldocs.ir import LayerGraph
from modeldocs.verdict import difference_phrases

from ..diff.graphs import Net


def block(net: Net, value: str, *, reduce: int, stride: int) -> str:
    """A bottleneck whose 1x1 or 3x3 convolution has the stride."""
    value = net.relu(net.norm(net.conv(value, 4, 1, reduce)))
    value = net.relu(net.norm(net.conv(value, 4, 3, stride, 1)))
    return net.conv(value, 8, 1)


def network(
    *head: str,
    epsilon: float = 1e-5,
    pads: tuple[int, ...] | int = 1,
    bias: bool = False,
    strided: bool = True,
    kernel: int = 3,
    normed: bool = True,
    counted: int | None = None,
) -> LayerGraph:
    net = Net((1, 3, 32, 32))
    value = net.conv("input-1", 8, kernel, 1, kernel // 2, bias=bias)
    value = net.relu(net.norm(value, epsilon) if normed else value)
    value = net.pool(value, 3, 2, pads)
    value = block(net, value, reduce=1 if strided else 2, stride=2 if strided else 1)
    if counted is not None:
        value = net.pool(value, 3, 1, 1, operator="AveragePool", count_include_pad=counted)
    value = net.conv(value, 5, net.shape(value)[-1])
    for operator in head:
        value = net.same(operator, value)
    return net.graph()


def told(a: LayerGraph, b: LayerGraph) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What B has otherwise than A, and A than B."""
    pair = verdict.compared("a", "b", engine.compare(a, b), (a, b))
    return pair.differences, pair.reverse


@pytest.mark.parametrize(
    ("settings", "there", "back"),
    [
        ({"epsilon": 2e-5}, "ε 2e-5", "ε 1e-5"),
        ({"epsilon": 1e-3}, "ε 0.001", "ε 1e-5"),
        ({"pads": (0, 0, 1, 1)}, "pads 0,0,1,1 in MaxPool", "pads 1 in MaxPool"),
        ({"bias": True}, "bias in Conv", "no bias in Conv"),
        ({"strided": False}, "stride in the 1×1 Conv", "stride in the 3×3 Conv"),
        ({"kernel": 5}, "kernel 5×5 in Conv", "kernel 3×3 in Conv"),
        ({"normed": False}, "no BatchNormalization", "BatchNormalization more"),
    ],
)
def test_a_setting_is_told_with_its_value_on_either_side(
    settings: dict[str, object], there: str, back: str
) -> None:
    plain, other = network(), network(**settings)
    assert told(plain, other) == ((there,), (back,))
    assert told(other, plain) == ((back,), (there,))


def test_the_head_comes_last_and_is_told_as_such() -> None:
    plain, other = network(), network("Softmax", epsilon=2e-5)
    assert told(plain, other) == (
        ("ε 2e-5", "Softmax at the end"),
        ("ε 1e-5", "no Softmax at the end"),
    )
    assert told(network("Softmax"), network("LogSoftmax")) == (
        ("LogSoftmax at the end",),
        ("Softmax at the end",),
    )


def test_a_switch_is_told_in_words() -> None:
    assert told(network(counted=0), network(counted=1))[0] == ("padding counted in AveragePool",)


def test_a_norm_that_one_side_has_in_its_convolution_is_told_on_either_side() -> None:
    pieces = Change(
        kind="regrouped",
        consequence="parameters",
        title="t",
        text="s",
        pairs=((("conv-1", "batchnormalization-1"), ("conv-1",)),) * 53,
        before="Conv + BatchNormalization",
        after="Conv with bias",
    )
    assert difference_phrases.phrase(pieces) == "no BatchNormalization after 53 Conv"
    assert difference_phrases.phrase(pieces, mirrored=True) == "BatchNormalization after 53 Conv"
    other = msgspec.structs.replace(pieces, before="MatMul + Add", after="Gemm", pairs=())
    assert difference_phrases.phrase(other) == "Gemm for MatMul + Add"


def test_what_is_only_written_differently_is_not_told() -> None:
    assert told(network(), network("Dropout")) == ((), ())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("before", "after"), [(None, [1, 2]), ([1, 2], None), ("a", "b"), (["Conv", "Relu", "Add"], {})]
)
@pytest.mark.parametrize("attribute", [None, "strides", "order of axes", "axis"])
def test_every_kind_of_change_has_words_whatever_its_values(
    kind: str, before: object, after: object, attribute: str | None
) -> None:
    change = Change(
        kind=kind,
        consequence="computes",
        title="t",
        text="s",
        pairs=((("x",), ("y",)),) * 2,
        attribute=attribute,
        before=before,
        after=after,
    )
    for mirrored in (False, True):
        text = difference_phrases.phrase(change, mirrored=mirrored)
        assert text == " ".join(text.split()) and 3 < len(text) < 60
