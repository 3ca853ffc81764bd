"""What each layer type becomes: operators, shapes, and numbers against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.ir import origin

from .nets import check, load, net, one, operators, parameters, run, shapes

RANDOM = np.random.default_rng(7)


def noise(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def made(layer, *inputs, **weights):
    model = load(net(layer, *[array.shape for array in inputs]), inputs={
        name: array.shape for name, array in zip("abcdef", inputs, strict=False)
    })  # fmt: skip
    return run(model, *inputs, **weights)[0]


X = noise(2, 4, 5, 6)
P = np.abs(X) + 0.1


@pytest.mark.parametrize(
    ("kind", "settings", "x", "expected"),
    [
        ("ReLU", "", X, np.maximum(X, 0)),
        ("ReLU", "relu_param { negative_slope: 0.1 }", X, np.where(X > 0, X, 0.1 * X)),
        ("ReLU6", "", 9 * X, np.clip(9 * X, 0, 6)),
        ("Clip", "clip_param { min: -0.5 max: 0.5 }", X, np.clip(X, -0.5, 0.5)),
        ("ELU", "elu_param { alpha: 2 }", X, np.where(X > 0, X, 2 * (np.exp(X) - 1))),
        ("Sigmoid", "", X, 1 / (1 + np.exp(-X))),
        ("TanH", "", X, np.tanh(X)),
        ("AbsVal", "", X, np.abs(X)),
        ("BNLL", "", X, np.log(1 + np.exp(X))),
        ("Swish", "swish_param { beta: 2 }", X, X / (1 + np.exp(-2 * X))),
        ("Power", "power_param { power: 2 scale: 3 shift: 1 }", X, (1 + 3 * X) ** 2),
        ("Power", "", X, X),
        ("Exp", "exp_param { scale: 0.5 shift: 1 }", X, np.exp(1 + 0.5 * X)),
        ("Exp", "exp_param { base: 2 }", X, 2**X),
        ("Log", "log_param { base: 2 shift: 1 }", P, np.log2(1 + P)),
        ("Threshold", "threshold_param { threshold: 0.2 }", X, X > 0.2),
        ("Dropout", "dropout_param { dropout_ratio: 0.3 }", X, X),
        ("Flatten", "", X, X.reshape(2, -1)),
        ("Flatten", "flatten_param { axis: 1 end_axis: 2 }", X, X.reshape(2, 20, 6)),
        ("Reshape", "reshape_param { shape { dim: 0 dim: 2 dim: -1 } }", X, X.reshape(2, 2, 60)),
        (
            "Reshape",
            "reshape_param { axis: 1 num_axes: 2 shape { dim: -1 } }",
            X,
            X.reshape(2, 20, 6),
        ),
        ("Reshape", "reshape_param { axis: -1 shape { dim: 1 } }", X, X[..., None]),
        ("Permute", "permute_param { order: 0 order: 2 order: 3 }", X, X.transpose(0, 2, 3, 1)),
        ("Tile", "tile_param { axis: 2 tiles: 3 }", X, np.tile(X, (1, 1, 3, 1))),
        (
            "ShuffleChannel",
            "shuffle_channel_param { group: 2 }",
            X,
            X[:, [0, 2, 1, 3]],
        ),
        ("Reduction", "reduction_param { axis: 1 }", X, X.sum((1, 2, 3))),
        (
            "Reduction",
            "reduction_param { operation: MEAN axis: 2 coeff: 3 }",
            X,
            3 * X.mean((2, 3)),
        ),
        ("Reduction", "reduction_param { operation: ASUM axis: -1 }", X, np.abs(X).sum(3)),
        ("Reduction", "reduction_param { operation: SUMSQ }", X, (X**2).sum()),
        ("ArgMax", "argmax_param { axis: 1 }", X, X.argmax(1)[:, None]),
        ("Softmax", "", X, np.exp(X) / np.exp(X).sum(1, keepdims=True)),
        (
            "MVN",
            "mvn_param { normalize_variance: false }",
            X,
            X - X.mean((2, 3), keepdims=True),
        ),
        (
            "MVN",
            "mvn_param { across_channels: true }",
            X,
            (X - X.mean((1, 2, 3), keepdims=True)) / X.std((1, 2, 3), keepdims=True),
        ),
        (
            "MVN",
            "mvn_param { eps: 0.5 }",
            X,
            (X - X.mean((2, 3), keepdims=True)) / (X.std((2, 3), keepdims=True) + 0.5),
        ),
        ("Interp", "interp_param { height: 3 width: 6 }", X, (X[:, :, 0::2] + X[:, :, 0::2]) / 2),
    ],
)
def test_layers_of_one_blob(kind, settings, x, expected):
    got = made(one(kind, settings), x)
    assert got.shape == np.shape(expected)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


Y, Z = noise(2, 4, 5, 6), noise(2, 4, 5, 6)


@pytest.mark.parametrize(
    ("settings", "expected", "kinds"),
    [
        ("", X + Y + Z, ["Sum"]),
        ("eltwise_param { operation: PROD }", X * Y * Z, ["Mul", "Mul"]),
        ("eltwise_param { operation: MAX }", np.maximum(np.maximum(X, Y), Z), ["Max"]),
        (
            "eltwise_param { coeff: 1 coeff: -2 coeff: 0.5 }",
            X - 2 * Y + 0.5 * Z,
            ["Mul", "Mul", "Sum"],
        ),
    ],
)
def test_eltwise(settings, expected, kinds):
    layer = one("Eltwise", settings, "abc")
    np.testing.assert_allclose(made(layer, X, Y, Z), expected, rtol=1e-4, atol=1e-5)
    assert operators(load(net(layer, (1, 2), (1, 2), (1, 2)))) == kinds


def test_eltwise_of_two_is_an_addition_or_a_subtraction():
    add, subtract = one("Eltwise", "", "ab"), one("Eltwise", "eltwise_param {coeff:[1,-1]}", "ab")
    assert operators(load(net(add, (1, 2), (1, 2)))) == ["Add"]
    assert operators(load(net(subtract, (1, 2), (1, 2)))) == ["Sub"]


def test_eltwise_of_two_shapes_is_told():
    with pytest.raises(ModeldocsError, match="reads 1×2 from 'a' and 1×3 from 'b'"):
        load(net(one("Eltwise", "", "ab"), (1, 2), (1, 3)))


@pytest.mark.parametrize("transpose", [False, True])
def test_inner_product(transpose):
    weight, bias = noise(3, 120), noise(3)
    said = f"inner_product_param {{ num_output: 3 transpose: {str(transpose).lower()} }}"
    got = made(one("InnerProduct", said), X, weight=weight.T if transpose else weight, bias=bias)
    np.testing.assert_allclose(got, X.reshape(2, 120) @ weight.T + bias, rtol=1e-4, atol=1e-4)


def test_inner_product_along_a_later_axis():
    weight = noise(3, 6)
    said = "inner_product_param { num_output: 3 axis: -1 bias_term: false }"
    got = made(one("InnerProduct", said), X, weight=weight)
    np.testing.assert_allclose(got, X @ weight.T, rtol=1e-4, atol=1e-4)


def convolved(x, weight, stride, pad, dilation, group):
    """Convolution written out, one output value after the other."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    outputs, channels, kernel, _ = weight.shape
    reach = dilation * (kernel - 1) + 1
    rows, columns = ((size - reach) // stride + 1 for size in x.shape[2:])
    y = np.zeros((len(x), outputs, rows, columns), np.float32)
    for o in range(outputs):
        first = o // (outputs // group) * channels
        for i, j in np.ndindex(rows, columns):
            patch = x[
                :,
                first : first + channels,
                i * stride : i * stride + reach : dilation,
                j * stride : j * stride + reach : dilation,
            ]
            y[:, o, i, j] = (patch * weight[o]).sum((1, 2, 3))
    return y


@pytest.mark.parametrize(
    ("settings", "stride", "pad", "dilation", "group"),
    [
        ("", 1, 0, 1, 1),
        ("stride: 2 pad: 1", 2, 1, 1, 1),
        ("dilation: 2 pad: 2 group: 2", 1, 2, 2, 2),
    ],
)
def test_convolution(settings, stride, pad, dilation, group):
    weight, bias = noise(6, 4 // group, 3, 3), noise(6)
    layer = one("Convolution", f"convolution_param {{ num_output: 6 kernel_size: 3 {settings} }}")
    expected = convolved(X, weight, stride, pad, dilation, group) + bias[:, None, None]
    np.testing.assert_allclose(
        made(layer, X, weight=weight, bias=bias), expected, rtol=1e-3, atol=1e-4
    )


def test_convolution_settings_for_each_axis():
    param = "num_output: 2 kernel_h: 1 kernel_w: 3 stride_h: 2 stride_w: 1 pad_h: 0 pad_w: 1"
    model = load(net(one("Convolution", f"convolution_param {{ {param} }}"), (1, 3, 7, 7)))
    assert shapes(model)["y"] == (1, 2, 4, 7)
    assert parameters(model) == {"it.weight": (2, 3, 1, 3), "it.bias": (2,)}


def test_one_convolution_of_two_blobs_has_one_weight():
    param = "convolution_param { num_output: 2 kernel_size: 3 bias_term: false }"
    model = load(net(one("Convolution", param, "ab", "yz"), (1, 3, 7, 7), (1, 3, 9, 9)))
    assert operators(model) == ["Conv", "Conv"]
    assert parameters(model) == {"it.weight": (2, 3, 3, 3)}


def test_deconvolution_and_depthwise_convolution():
    param = "convolution_param { num_output: 6 kernel_size: 4 stride: 2 pad: 1 group: 2 }"
    model = load(net(one("Deconvolution", param), (1, 4, 5, 5)))
    assert shapes(model)["y"] == (1, 6, 10, 10)
    assert parameters(model)["it.weight"] == (4, 3, 4, 4)
    param = "convolution_param { num_output: 4 kernel_size: 3 }"
    model = load(net(one("ConvolutionDepthwise", param), (1, 4, 5, 5)))
    assert parameters(model)["it.weight"] == (4, 1, 3, 3)


@pytest.mark.parametrize(
    "param", ["num_output: 5 group: 2", "num_output: 4 group: 0", "num_output: 0"]
)
def test_impossible_groups_are_told(param):
    with pytest.raises(ModeldocsError, match="channels to"):
        load(
            net(one("Convolution", f"convolution_param {{ kernel_size: 1 {param} }}"), (1, 4, 5, 5))
        )


def test_lrn_divides_alpha_by_the_window():
    x = noise(1, 7, 2, 2)
    squares = np.pad(x**2, ((0, 0), (2, 2), (0, 0), (0, 0)))
    total = sum(squares[:, i : i + 7] for i in range(5))
    expected = x / (1.5 + 0.3 / 5 * total) ** 0.75
    got = made(one("LRN", "lrn_param { local_size: 5 alpha: 0.3 beta: 0.75 k: 1.5 }"), x)
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_lrn_within_a_channel_averages_a_window():
    x = noise(1, 3, 4, 4)
    squares = np.pad(x**2, ((0, 0), (0, 0), (1, 1), (1, 1)))
    total = sum(squares[:, :, i : i + 4, j : j + 4] for i in range(3) for j in range(3))
    param = "lrn_param { local_size: 3 alpha: 0.3 beta: 0.5 norm_region: WITHIN_CHANNEL }"
    expected = x / (1 + 0.3 / 9 * total) ** 0.5
    np.testing.assert_allclose(made(one("LRN", param), x), expected, rtol=1e-4, atol=1e-5)


def test_batch_norm_and_scale():
    mean, var, scale, bias = noise(4), np.abs(noise(4)), noise(4, 1, 1), noise(4, 1, 1)
    layers = one("BatchNorm", "batch_norm_param { eps: 0.01 }") + one(
        "Scale", "scale_param { bias_term: true }", "y", "y"
    )
    got = made(layers, X, mean=mean, var=var, scale_factor=np.ones(1), scale=scale, bias=bias)
    column = (slice(None), None, None)
    expected = (X - mean[column]) / np.sqrt(var[column] + 0.01) * scale + bias
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4)


def test_batch_norms_blobs_are_buffers_and_its_ones_no_parameters():
    model = load(net(one("BatchNorm"), (1, 4, 2, 2)))
    assert parameters(model) == {}
    assert parameters(model, "buffer") == {
        "it.mean": (4,), "it.var": (4,), "it.scale_factor": (1,),
    }  # fmt: skip
    assert model.graph[0].attributes["epsilon"].value == pytest.approx(1e-5)


@pytest.mark.parametrize(
    ("settings", "phase", "training"),
    [("", "TEST", False), ("", "TRAIN", True), ("use_global_stats: false", "TEST", True)],
)
def test_batch_norm_takes_the_batchs_statistics_where_caffe_does(settings, phase, training):
    layer = one("BatchNorm", f"batch_norm_param {{ {settings} }}")
    model = load(net(layer, (1, 4, 2, 2)), args={"phase": phase})
    assert ("training_mode" in model.graph[0].attributes) is training


@pytest.mark.parametrize(
    ("settings", "shape"),
    [("", (4, 1, 1)), ("num_axes: 2", (4, 5, 1)), ("num_axes: -1", (4, 5, 6)), ("axis: 3", (6,))],
)
def test_scale_covers_the_axes_asked_for(settings, shape):
    scale = noise(*shape)
    layer = one("Scale", f"scale_param {{ {settings} }}")
    np.testing.assert_allclose(made(layer, X, scale=scale), X * scale, rtol=1e-5)


def test_scale_and_bias_by_a_second_blob():
    factor = noise(2, 4)
    expected = X * factor[:, :, None, None]
    got = made(one("Scale", "scale_param { axis: 0 }", "ab"), X, factor)
    np.testing.assert_allclose(got, expected, rtol=1e-5)
    got = made(one("Bias", "bias_param { axis: 0 }", "ab"), X, factor)
    np.testing.assert_allclose(got, X + factor[:, :, None, None], rtol=1e-5)


def test_prelu_has_a_slope_for_each_channel():
    slope = noise(4, 1, 1)
    got = made(one("PReLU"), X, slope=slope)
    np.testing.assert_allclose(got, np.where(X > 0, X, slope * X), rtol=1e-5)
    shared = load(net(one("PReLU", "prelu_param { channel_shared: true }"), (1, 4, 2, 2)))
    assert parameters(shared) == {"it.slope": (1,)}


def test_embed_looks_rows_up():
    weight, bias = noise(9, 3), noise(3)
    index = np.array([[4, 0]], np.float32)
    layer = one("Embed", "embed_param { num_output: 3 input_dim: 9 }")
    got = made(layer, index, weight=weight, bias=bias)
    np.testing.assert_allclose(got, weight[[[4, 0]]] + bias, rtol=1e-5)


def test_concat_slice_and_split():
    joined = made(one("Concat", "concat_param { axis: 2 }", "ab"), X, Y)
    np.testing.assert_array_equal(joined, np.concatenate([X, Y], 2))
    points = one("Slice", "slice_param { slice_point: 1 slice_point: 3 }", "a", "xyz")
    assert [shapes(load(net(points, (1, 4, 2, 2))))[t][1] for t in "xyz"] == [1, 2, 1]
    equal = one("Slice", "slice_param { axis: 2 }", "a", "xy")
    assert shapes(load(net(equal, (1, 4, 6, 2))))["y"] == (1, 4, 3, 2)
    assert operators(load(net(one("Split", "", "a", "xy"), (1, 4)))) == ["Identity", "Identity"]


def test_crop_takes_the_second_blobs_size():
    like = noise(2, 4, 2, 3)
    got = made(one("Crop", "crop_param { axis: 2 offset: 1 offset: 2 }", "ab"), X, like)
    np.testing.assert_array_equal(got, X[:, :, 1:3, 2:5])


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (one("Concat", "", "ab"), "joins"),
        (one("Slice", "slice_param { slice_point: 9 }", "a", "yz"), "cuts 4"),
        (one("Reshape", "reshape_param { shape { dim: 7 } }"), "cannot take"),
        (one("Permute", "permute_param { order: 9 }"), "orders 4 axes"),
        (one("Crop", "crop_param { offset: 9 }", "ab"), "cuts"),
        (one("Softmax", "softmax_param { axis: 4 }"), "names the axis 4"),
        (one("LRN", "lrn_param { local_size: 4 }"), "even size"),
        (one("Scale", "scale_param { axis: 2 num_axes: 3 }"), "covers 3 axes"),
        (one("Eltwise", "", "a"), "it takes 2"),
        (one("ReLU", "", "a", "yz"), "lists 2 tops, it makes 1"),
        (one("Convolution", "convolution_param { num_output: 2 kernel_size: 99 }"), "would have"),
    ],
)
def test_what_does_not_fit_is_told_with_its_line(layer, reason):
    with pytest.raises(ModeldocsError, match=reason) as caught:
        load(net("\n" + layer, (1, 4, 5, 6), (1, 4, 7, 5)))
    assert caught.value.line == 4
    assert caught.value.fix


PRIORS = "min_size: 30 max_size: 60 aspect_ratio: 2 aspect_ratio: 3 flip: true clip: false"


@pytest.mark.parametrize(
    ("layer", "given", "expected"),
    [
        (one("PriorBox", f"prior_box_param {{ {PRIORS} }}", "ab"), [(1, 8, 3, 5), (1, 3, 9, 9)],
         {"y": (1, 2, 3 * 5 * 6 * 4)}),
        (one("DetectionOutput", "detection_output_param { num_classes: 3 }", "abc"),
         [(1, 8), (1, 6), (1, 2, 8)], {"y": (1, 1, "detections", 7)}),
        (one("MultiBoxLoss", "multibox_loss_param { num_classes: 3 }", "ab"), [(1, 8), (1, 6)],
         {"y": ()}),
        (one("ROIPooling", "roi_pooling_param { pooled_h: 6 pooled_w: 7 }", "ab"),
         [(1, 8, 9, 9), (300, 5)], {"y": (300, 8, 6, 7)}),
        (one("Proposal", "", "abc", "yz"), [(1, 18, 5, 5), (1, 36, 5, 5), (1, 3)],
         {"y": ("regions", 5), "z": ("regions", 1)}),
        (one("Interp", "interp_param { zoom_factor: 8 pad_end: -1 }"), [(1, 3, 9, 9)],
         {"y": (1, 3, 57, 57)}),
        (one("DetectionEvaluate", "detection_evaluate_param { num_classes: 3 }", "ab"),
         [(1, 1, 4, 7), (1, 1, 4, 8)], {"y": (1, 1, "rows", 5)}),
        (one("Upsample", "upsample_param { scale: 2 }", "aa"), [(1, 3, 9, 9)],
         {"y": (1, 3, 18, 18)}),
        (one("SPP", "spp_param { pyramid_height: 3 }"), [(1, 4, 9, 9)], {"y": (1, 84)}),
        (one("Im2col", "convolution_param { kernel_size: 3 }"), [(1, 4, 9, 9)],
         {"y": (1, 36, 7, 7)}),
        (one("LSTM", "recurrent_param { num_output: 8 }", "ab"), [(5, 1, 3), (5, 1)],
         {"y": (5, 1, 8)}),
        (one("Accuracy", "", "ab", "yz"), [(1, 9), (1,)], {"y": (), "z": (9,)}),
        (one("SmoothL1Loss", "", "ab"), [(1, 9), (1, 9)], {"y": ()}),
    ],
)  # fmt: skip
def test_what_onnx_lacks_is_caffes_own_with_its_shape(layer, given, expected):
    model = load(net(layer, *given))
    assert operators(model)[0].startswith("caffe::")
    found = shapes(model)
    assert {name: found[name] for name in expected} == expected


def test_regions_of_unknown_number_go_through_the_layers_behind():
    layers = (
        one("Proposal", "", "ab", "r")
        + one("ROIPooling", "roi_pooling_param { pooled_h: 6 pooled_w: 6 }", "cr")
        + one("InnerProduct", "inner_product_param { num_output: 4 }", "y", "f")
        + one("Softmax", "", "f", "p")
    )
    model = load(net(layers, (1, 18, 5, 5), (1, 36, 5, 5), (1, 8, 5, 5)))
    assert shapes(model)["p"] == ("regions", 4)
    assert parameters(model)["it.weight"] == (4, 288)


def test_normalize_divides_by_the_norm_over_the_channels_and_scales_each():
    param = "norm_param { across_spatial: false channel_shared: false scale_filler { value: 20 } }"
    x, scale = noise(1, 5, 2, 3), noise(5, 1, 1)
    expected = x / np.sqrt((x**2).sum(1, keepdims=True) + 1e-10) * scale
    layer = one("Normalize", param)
    np.testing.assert_allclose(made(layer, x, scale=scale), expected, rtol=1e-4, atol=1e-5)
    model = load(net(layer, x.shape))
    assert parameters(model) == {"it.scale": (5, 1, 1)}
    told = origin.read(model.graph[-1]).origins[0].attributes
    assert told["norm_param"]["scale_filler"] == {"value": 20}


def test_normalize_across_the_image_has_one_norm_and_one_scale():
    x, scale = noise(2, 5, 2, 3), noise(1)
    expected = x / np.sqrt((x**2).sum((1, 2, 3), keepdims=True) + 1e-10) * scale
    np.testing.assert_allclose(
        made(one("Normalize"), x, scale=scale), expected, rtol=1e-4, atol=1e-5
    )


def test_layers_without_tops_are_kept():
    model = load(net(one("ReLU") + one("Silence", "", "y", ""), (1, 2)))
    assert operators(model) == ["Relu", "caffe::Silence"]
    assert not model.graph.outputs
    check(model)


def test_a_loss_without_a_top_is_named_after_its_layer():
    model = load(net(one("EuclideanLoss", "", "ab", ""), (1, 2), (1, 2)))
    assert [value.name for value in model.graph.outputs] == ["it"]


def test_a_pooling_mask_is_a_second_top():
    layer = one("Pooling", "pooling_param { kernel_size: 2 stride: 2 }", "a", "ym")
    model = load(net(layer + one("Upsample", "", "ym", "u"), (1, 2, 4, 4)))
    assert shapes(model)["m"] == (1, 2, 2, 2)
    assert shapes(model)["u"] == (1, 2, 4, 4)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("Convolution", "convolution_param { num_output: 1 kernel_size: 1 }"),
        ("Pooling", "pooling_param { kernel_size: 1 }"),
        ("PriorBox", "prior_box_param { min_size: 1 }"),
        ("ROIPooling", "roi_pooling_param { pooled_h: 1 pooled_w: 1 }"),
        ("Interp", ""),
        ("MVN", ""),
        ("Normalize", ""),
        ("SPP", "spp_param { pyramid_height: 1 }"),
    ],
)
def test_blobs_of_too_few_dimensions_are_told(kind, settings):
    with pytest.raises(ModeldocsError, match=r"it takes \d dimensions"):
        load(net(one(kind, settings), (3,)))


def test_one_convolution_takes_blobs_of_one_rank():
    param = "convolution_param { num_output: 2 kernel_size: 3 }"
    with pytest.raises(ModeldocsError, match="different channels or rank"):
        load(net(one("Convolution", param, "ab", "yz"), (1, 3, 7, 7), (1, 3, 9, 9, 9)))
