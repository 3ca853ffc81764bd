"""Settings of layers: what follows from them, and what they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs.errors import ModeldocsError

from .networks import caffe, edited, layer, onnx_model, output, parameter

ACTIVATED = """g (float[1,8,6,6] x) => (float[1,4,1,1] z) {
    h = Conv <group = 8> (x, w)
    a = Relu (h)
    y = Conv (a, v)
    z = GlobalAveragePool (y)
}"""
DEPTHWISE = {"w": (8, 1, 3, 3), "v": (4, 8, 1, 1)}


def test_a_stride_halves_what_follows_as_far_as_the_layer_behind_a_flatten() -> None:
    graph = edited(caffe("lenet"), "set conv1.strides=2")
    assert output(layer(graph, "conv1")) == (1, 20, 12, 12)
    assert output(layer(graph, "pool2")) == (1, 50, 1, 1)
    assert parameter(layer(graph, "gemm-1")) == (500, 50)
    assert graph.totals().macs == 12 * 12 * 20 * 25 + 2 * 2 * 50 * 500 + 500 * 50 + 10 * 500


def test_more_channels_are_read_by_those_that_follow() -> None:
    graph = edited(caffe("resnet50"), "set conv-3.channels=80")
    widened, norm, reader = (
        layer(graph, one) for one in ("conv-3", "batchnormalization-3", "conv-4")
    )
    assert parameter(widened)[0] == 80
    assert {one.shape for one in norm.parameters if one.role in ("mean", "var")} == {(80,)}
    assert parameter(reader)[1] == 80


def test_pads_of_a_strategy_are_those_for_the_new_image() -> None:
    """Caffe's pools round the number of windows up: the pads at the end make up for it."""
    graph = edited(caffe("cifar10-quick"), "input data=1,3,33,33")
    again = edited(caffe("cifar10-quick"), "input data=1,3,32,32", "set pool1.kernel_shape=2")
    assert (layer(graph, "pool1").sizes("pads"), output(layer(graph, "pool1"))) == (
        (0, 0, 0, 0),
        (1, 32, 16, 16),
    )
    assert layer(again, "pool1").sizes("pads") == (0, 0, 0, 0)


def test_pads_that_are_set_are_kept_for_any_image() -> None:
    graph = edited(caffe("cifar10-quick"), "set pool1.pads=1", "input data=1,3,64,64")
    pool = layer(graph, "pool1")
    assert (pool.sizes("pads"), pool.padding) == ((1, 1, 1, 1), None)


def test_a_depthwise_convolution_stays_one(tmp_path: Path) -> None:
    model = onnx_model(tmp_path, ACTIVATED, **DEPTHWISE)
    graph = edited(model, "insert after=x:Conv:channels=12:kernel_shape=1:pads=0:name=wide")
    conv = layer(graph, "conv-2")
    assert (conv.attributes["group"], parameter(conv)) == (12, (12, 1, 3, 3))
    assert parameter(layer(graph, "conv-3")) == (4, 12, 1, 1)


def test_an_activation_becomes_another(tmp_path: Path) -> None:
    model = onnx_model(tmp_path, ACTIVATED, **DEPTHWISE)
    graph = edited(model, "set relu-1.operator=LeakyRelu", "set relu-1.alpha=0.2")
    assert layer(graph, "leakyrelu-1").number("alpha", 0) == pytest.approx(0.2)


def test_one_number_is_that_of_each_axis_and_two_pads_those_of_both_ends() -> None:
    graph = edited(caffe("lenet"), "set conv1.kernel_shape=3", "set conv1.pads=1,0")
    conv = layer(graph, "conv1")
    assert (conv.sizes("kernel_shape"), conv.sizes("pads")) == ((3, 3), (1, 0, 1, 0))


def refusal(model: str, *words: str) -> str:
    with pytest.raises(ModeldocsError) as caught:
        edited(caffe(model), *words)
    assert caught.value.fix
    return str(caught.value)


def test_a_sum_of_two_shapes_is_told_with_its_line() -> None:
    text = refusal("resnet50", "set conv-3.strides=2")
    assert "'res2a' (Add) combines 1×256×56×56 with 1×256×28×28" in text
    assert text.startswith("caffe.prototxt:")


def test_a_join_of_two_images_is_told() -> None:
    assert "(Concat) combines 1×64×14×14 with" in refusal("googlenet", "set conv-4.strides=2")


def test_a_window_larger_than_the_image_is_told() -> None:
    assert "a size below 1" in refusal("lenet", "input data=1,1,5,5")


def test_groups_must_divide_the_channels() -> None:
    assert "'conv2' (Conv) has 3 groups, and 20 channels that give 50" in refusal(
        "lenet", "set conv2.group=3"
    )


def test_a_dropout_leaves_something() -> None:
    assert "give from 0 to below 1" in refusal("alexnet", "set dropout-1.ratio=2")


def test_an_axis_is_one_of_the_tensor() -> None:
    assert "works along axis 2, and reads 1×10" in refusal("lenet", "set softmax-1.axis=2")


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ("set conv9.strides=2", "did you mean conv"),
        ("set conv1.stride=2", "did you mean strides"),
        ("set conv1.strides=0", "from 1 to"),
        ("set conv1.strides=a", "cannot have strides 'a'"),
        ("set conv1.operator=Relu", "is no activation"),
        ("set relu1.operator=Conv", "use one of Celu"),
        ("set conv1.strides=1,1,1", "has 3 strides, and a kernel of 5×5"),
        ("remove conv9", "no layer or block is called 'conv9'"),
        ("input other=1,1,28,28", "no input called 'other'"),
        ("input data=1,28,28", "has 4 axes, not 3"),
        ("repeat conv1=3", "nothing repeats"),
    ],
)
def test_what_is_not_there_or_cannot_be_is_told(edit: str, told: str) -> None:
    assert told in refusal("lenet", edit)
