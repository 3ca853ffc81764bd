"""Recurrent layers, which stay Caffe's own: their gates and sequence marks are not ONNX's."""

from __future__ import annotations

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.dims import Dims, product

Weights = list[tuple[str, Dims]]


@emits("LSTM")
def lstm(layer: CaffeLayer) -> Tops:
    """LSTM over time × batch × features, with its weights as further inputs."""
    steps, batch, features, hidden = _sizes(layer)
    weights: Weights = [("input_weight", (4 * hidden, features)), ("input_bias", (4 * hidden,))]
    if len(layer.bottoms) > 2:
        weights.append(("static_weight", (4 * hidden, product(layer.shape(2)[1:]))))
    weights.append(("hidden_weight", (4 * hidden, hidden)))
    return _recurrent(layer, weights, (steps, batch, hidden), states=2)


@emits("RNN")
def rnn(layer: CaffeLayer) -> Tops:
    """A plain recurrent layer with tanh and an output product of its own."""
    steps, batch, features, hidden = _sizes(layer)
    weights: Weights = [("input_weight", (hidden, features)), ("input_bias", (hidden,))]
    if len(layer.bottoms) > 2:
        weights.append(("static_weight", (hidden, product(layer.shape(2)[1:]))))
    weights += [
        ("hidden_weight", (hidden, hidden)),
        ("output_weight", (hidden, hidden)),
        ("output_bias", (hidden,)),
    ]
    return _recurrent(layer, weights, (steps, batch, hidden), states=1)


def _sizes(layer: CaffeLayer) -> tuple[Dim, Dim, Dim, int]:
    layer.bottom(1)
    shape = layer.shape()
    if len(shape) < 2:
        raise layer.error("reads a blob without time and batch", fix="give it T×N×features")
    hidden = layer.param("recurrent_param").integer("num_output")
    return shape[0], shape[1], product(shape[2:]), hidden


def _recurrent(
    layer: CaffeLayer,
    weights: Weights,
    shape: tuple[Dim, Dim, int],
    *,
    states: int,
) -> Tops:
    """The layer; with `expose_hidden` its last states are outputs, too."""
    declared = [layer.parameter(role, own, index) for index, (role, own) in enumerate(weights)]
    exposed = layer.param("recurrent_param").flag("expose_hidden")
    shapes: list[Dims] = [shape, *[(1, *shape[1:])] * (states if exposed else 0)]
    return layer.opaque(shapes, param="recurrent_param", inputs=[*layer.bottoms, *declared])
