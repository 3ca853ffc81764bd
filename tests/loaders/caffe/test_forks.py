"""Fields, layers and values that forks added to Caffe: understood, or told on the layer."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from .nets import load, net, notes, one, operators

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
    from modeldocs import origin

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
