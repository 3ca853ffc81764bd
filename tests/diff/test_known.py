"""Differences between ports that are known, and must be found as they are."""

import pytest

from modeldocs.diff import Diff, compare
from modeldocs.ir import LayerGraph

from .graphs import Net, alexnet, inception, reordered, resnet50, transformer


def told(diff: Diff) -> list[tuple[str, str, str | None, int]]:
    return [(c.consequence, c.kind, c.attribute, len(c.pairs)) for c in diff.changes]


def titles(diff: Diff) -> list[str]:
    return [change.title for change in diff.changes]


def test_epsilon_of_every_norm_is_one_line():
    diff = compare(resnet50(), resnet50(epsilon=1.001e-5))
    assert titles(diff) == ["epsilon 1e-5 → 1.001e-5 in all 53 BatchNormalization layers"]
    assert told(diff) == [("computes", "attribute", "epsilon", 53)]
    assert diff.unchanged == 174 - 53


def test_epsilon_as_float32_tells_it_is_the_same():
    assert compare(resnet50(epsilon=1e-5), resnet50(epsilon=9.99999974e-06)).verdict == "identical"


def test_stride_moves_between_six_convolutions_of_three_blocks():
    diff = compare(resnet50(stride_first=True), resnet50())
    assert told(diff) == [("computes", "moved", "strides", 6)]
    assert titles(diff)[0].startswith(
        "stride 2 moved from the 1×1 Conv to the 3×3 Conv after it in 3 blocks"
    )
    assert diff.changes[0].followers == 6
    assert len(diff.matches) == 175
    back = compare(resnet50(), resnet50(stride_first=True))
    assert titles(back)[0].startswith("stride 2 moved from the 3×3 Conv to the 1×1 Conv before it")


def test_a_stride_that_is_only_there_once_is_an_attribute_with_its_followers():
    def net(stride: int) -> LayerGraph:
        net = Net((1, 3, 32, 32))
        return net.graph(net.relu(net.norm(net.conv("input-1", 8, 3, stride, 1))))

    diff = compare(net(1), net(2))
    assert told(diff) == [("computes", "attribute", "strides", 1)]
    assert diff.changes[0].followers == 2


def test_bias_in_every_convolution():
    diff = compare(resnet50(bias=True), resnet50())
    assert titles(diff) == ["bias only in A in all 53 Conv layers (26,560 parameters)"]
    assert diff.a.parameters - diff.b.parameters == 26_560


def test_softmax_at_the_end():
    diff = compare(resnet50(softmax=True), resnet50())
    assert titles(diff) == ["ends in Softmax only in A"]


def test_all_that_parts_two_ports_of_resnet_at_once():
    diff = compare(
        resnet50(softmax=True, bias=True, stride_first=True, epsilon=1.001e-5),
        reordered(resnet50(), 5),
    )
    convolutions = [m for m in diff.matches if m.a[0].startswith("conv")]
    assert len(convolutions) == 53
    assert diff.consequences == {"computes": 3, "parameters": 1}


def test_pool_that_rounds_up_is_not_one_that_pads():
    diff = compare(resnet50(caffe_pool=True), resnet50())
    assert titles(diff) == ["pads 0 rounded up → 1 rounded down in one MaxPool layer (maxpool1)"]
    assert told(diff) == [("computes", "attribute", "pads", 1)]


def test_pool_and_norm_swapped_are_moves_and_no_attribute():
    diff = compare(alexnet(pool_first=True), alexnet())
    assert told(diff) == [("order", "moved", None, 2)]
    assert diff.verdict == "different"


def test_groups_of_three_convolutions():
    diff = compare(alexnet(), alexnet(group=1))
    assert told(diff) == [("computes", "attribute", "group", 3)]
    assert titles(diff) == [
        "group 2 → 1 in 3 Conv layers (conv2, conv4–conv5) (1,413,120 parameters more in B)"
    ]


def test_alexnet_with_other_channels_without_norms():
    other = alexnet(group=1, norms=False, widths=(64, 192, 384, 256, 256))
    diff = compare(alexnet(), reordered(other, 1))
    assert [title[:19] for title in titles(diff)[:2]] == [
        "group 2 → 1 in 3 Co",
        "LRN × 2 only in A",
    ]


def test_norms_without_scale_and_means_that_count_pads():
    diff = compare(inception(), inception(scale=False, count_pads=1))
    assert told(diff) == [
        ("computes", "attribute", "count_include_pad", 9),
        ("parameters", "parameters", "scale", 64),
    ]


def test_another_resolution_is_one_line_with_its_followers():
    diff = compare(resnet50(size=256), resnet50())
    assert titles(diff) == ["input 1×3×256×256 → 1×3×224×224, and 172 layers after it"]


def test_another_batch_size_is_spelling():
    diff = compare(resnet50(batch=64), resnet50())
    assert diff.verdict == "equivalent"
    assert titles(diff) == ["input 64×3×224×224 → 1×3×224×224"]


def test_dropout_is_spelling():
    diff = compare(resnet50(dropout=True), resnet50())
    assert diff.verdict == "equivalent"
    assert told(diff) == [("spelling", "deleted", None, 1)]


@pytest.mark.parametrize("build", [resnet50, alexnet, inception, transformer])
def test_a_network_is_identical_to_itself(build):
    diff = compare(build(), build())
    assert (diff.verdict, diff.changes) == ("identical", ())
    assert all(match.a == match.b for match in diff.matches)


def test_fewer_blocks_are_deleted_whole_and_nothing_else_changes():
    diff = compare(transformer(6), reordered(transformer(5), 2))
    assert {change.kind for change in diff.changes} == {"deleted"}
    assert sum(len(ids) for change in diff.changes for ids, _ in change.pairs) == 14


def test_deeper_resnet_has_blocks_inserted_and_nothing_else():
    diff = compare(resnet50(), reordered(resnet50(blocks=(3, 4, 23, 3)), 3))
    assert {change.kind for change in diff.changes} == {"inserted"}
    (change,) = diff.changes
    assert change.title.startswith("17 blocks of 10 layers (Conv + BatchNormalization + Relu")
