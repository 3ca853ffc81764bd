"""Fields, layers and values that forks added to Caffe: understood, or told on the layer."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from .nets import load, net, notes, one, operators, parameters, run, shapes

IMAGE = (1, 4, 9, 11)


def pooled(settings: str) -> tuple[int, ...]:
    """The size of the image behind a pooling layer."""
    made = load(net(one("Pooling", f"pooling_param {{ {settings} }}"), IMAGE))
    return tuple(made.graph.outputs[0].shape[2:])


@pytest.mark.parametrize(
    ("settings", "size"),
    [
        ("kernel_size: 2 stride: 2", (5, 6)),
        ("kernel_size: 2 stride: 2 ceil_mode: true", (5, 6)),
        ("kernel_size: 2 stride: 2 ceil_mode: false", (4, 5)),
        ("kernel_size: 2 stride: 2 round_mode: FLOOR", (4, 5)),
    ],
)
def test_how_a_pooled_size_is_rounded(settings, size):
    assert pooled(settings) == size


def test_holes_are_dilations():
    text = "convolution_param { num_output: 2 kernel_size: 3 pad: 2 hole: 2 }"
    (node,) = load(net(one("Convolution", text), IMAGE)).graph
    assert node.attributes["dilations"].value == (2, 2)


@pytest.mark.parametrize(
    ("settings", "made", "trained", "kept"),
    [
        ("frozen: true momentum: 0.95", ["BatchNormalization"], 8, 8),
        ("bn_mode: INFERENCE", ["Mul", "Add"], 8, 0),
        ("bn_mode: LEARN", ["BatchNormalization"], 8, 0),
        ("scale_filler { value: 1 } shift_filler { value: 0 }", ["BatchNormalization"], 8, 0),
        ("slope_filler { value: 1 } bias_filler { value: 0 }", ["BatchNormalization"], 8, 8),
    ],
)
def test_batch_norms_of_forks_have_their_parameters(settings, made, trained, kept):
    model = load(net(one("BN", f"bn_param {{ {settings} }}"), IMAGE))
    assert operators(model) == made and notes(model) == []
    sizes = {True: 0, False: 0}
    for value in model.graph.initializers.values():
        kind = ir_kind(value)
        if kind is not None:
            sizes[kind == "trainable"] += int(np.prod(value.shape.numpy()))
    assert (sizes[True], sizes[False]) == (trained, kept)


def ir_kind(value: ir.Value) -> str | None:
    """What kind of parameter a value is."""
    from modeldocs.ir import origin

    return origin.parameter_kind(value)


def test_a_value_that_no_enum_has_is_told_and_its_layer_drawn_as_it_is():
    model = load(net(one("Pooling", "pooling_param { pool: SOFT kernel_size: 2 }"), IMAGE))
    assert notes(model) == [
        "line 2: 'SOFT' is no value of Caffe's for 'pool'; 'it' is drawn as it is, its output "
        "taken to be of its input's shape"
    ]


def test_a_field_of_a_fork_is_told_once_with_its_layers():
    layers = "".join(
        one("ReLU", "relu_param { quantum: 3 }", "a", [name], name=name) for name in "pqrs"
    )
    assert notes(load(net(layers, (1, 2)))) == [
        "Caffe has no field 'quantum', which 'p', 'q', 'r' and 1 more have: shown, and without "
        "effect"
    ]


REGIONS = (5, 5)
SHAPED = [
    ("PSROIPooling", "psroi_pooling_param { output_dim: 2 group_size: 3 }",
     [(1, 18, 4, 4), REGIONS],
     (5, 2, 3, 3)),
    ("ROIAlign", "roi_align_param { pooled_h: 2 pooled_w: 3 }", [(1, 4, 4, 4), REGIONS],
     (5, 4, 2, 3)),
    ("Proposal", "proposal_param { feat_stride: 16 ratio: 1 scale: 8 }", [(1, 2, 4, 4)],
     ("regions", 5)),
    ("YoloDetectionOutput", "yolo_detection_output_param { num_classes: 2 }", [(1, 35, 4, 4)],
     (1, 1, "detections", 7)),
    ("Reorg", "reorg_param { stride: 2 }", [(1, 4, 6, 6)], (1, 16, 3, 3)),
    ("Reorg", "reorg_param { stride: 2 reverse: true }", [(1, 16, 3, 3)], (1, 4, 6, 6)),
    ("Resample", "resample_param { width: 6 height: 8 type: LINEAR }", [(1, 2, 3, 4)],
     (1, 2, 8, 6)),
    ("Resample", "", [(1, 2, 3, 4), (1, 9, 6, 8)], (1, 2, 6, 8)),
    ("Correlation",
     "correlation_param { pad: 20 kernel_size: 1 max_displacement: 20 stride_1: 1 stride_2: 2 }",
     [(1, 8, 6, 8), (1, 8, 6, 8)], (1, 441, 6, 8)),
    ("Upsample", "upsample_param { scale: 2 }", [(1, 2, 3, 3), (1, 2, 3, 3)], (1, 2, 6, 6)),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "settings", "read", "made"), SHAPED)
def test_layers_of_forks_keep_their_settings_and_tell_their_shapes(kind, settings, read, made):
    model = load(net(one(kind, settings, "ab"[: len(read)]), *read))
    assert operators(model) == [f"caffe::{kind}"]
    assert shapes(model)["y"] == made
    assert notes(model) == []


def test_pixels_are_repeated_where_no_mask_says_where_they_go():
    x = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    model = load(net(one("Upsample", "upsample_param { scale: 2 }"), x.shape))
    (made,) = run(model, x)
    assert np.array_equal(made, x.repeat(2, axis=2).repeat(2, axis=3))


def test_concatenated_relu_keeps_what_is_negative_in_channels_of_its_own():
    x = np.array([[-1, 2]], np.float32).reshape(1, 2, 1, 1)
    (made,) = run(load(net(one("CReLU"), x.shape)), x)
    assert made.reshape(-1).tolist() == [0, 2, 1, 0]


def test_batch_norm_with_a_scale_of_its_own():
    settings = "batch_norm_param { scale_bias: true eps: 1e-4 }"
    model = load(net(one("BatchNorm", settings), IMAGE))
    assert (operators(model), notes(model)) == (["BatchNormalization"], [])
    assert parameters(model) == {"it.scale": (4,), "it.bias": (4,)}


def test_settings_of_python_layers_are_kept():
    param = "python_param { module: 'a.b' layer: 'Mix' param_str: \"{'k': 3}\" }"
    (node,) = load(net(one("Python", param), IMAGE)).graph
    assert {name: held.value for name, held in node.attributes.items()} == {
        "module": "a.b", "layer": "Mix", "param_str": "{'k': 3}",
    }  # fmt: skip


def test_a_loss_in_python_is_a_number():
    model = load(net(one("Python", "python_param { layer: 'PairLossLayer' }", "aa"), IMAGE))
    assert shapes(model)["y"] == ()


def test_a_loss_with_a_value_of_a_fork_is_a_number_all_the_same():
    settings = "loss_param { normalization: PRE_FIXED }"
    model = load(net(one("SoftmaxWithLoss", settings, "ab"), (1, 3), (1,)))
    assert shapes(model)["y"] == ()
    assert notes(model) == [
        "line 3: 'PRE_FIXED' is no value of Caffe's for 'normalization', shown as 'it' has it"
    ]


def test_a_dense_layer_may_leave_its_outputs_to_who_trains_it():
    model = load(net(one("InnerProduct", "inner_product_param { }"), (1, 3)))
    assert shapes(model)["y"] == (1, None)
    assert notes(model)[0] == "line 2: 'it' has no num_output, drawn as ?"


def test_settings_named_like_their_layer_are_not_taken_for_others():
    model = load(net(one("Reshapen", "reshapen_param { power: 2 }"), IMAGE))
    assert notes(model) == [
        "line 2: 'Reshapen' is no layer type of Caffe's; 'it' is drawn as it is, its output taken "
        "to be of its input's shape"
    ]
