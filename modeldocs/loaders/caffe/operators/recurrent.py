"""Emitter of Caffe's recurrent layers, which stay in its domain.

ONNX's have other gates, and no markers of where a sequence continues.
"""

from __future__ import annotations

from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.dims import Dims, product
from modeldocs.loaders.emission.operation import Outputs


@emits("LSTM", "RNN")
def recurrent(op: CaffeOperation) -> Outputs:
    """LSTM or RNN of time × batch × features, with its weights as further inputs.

    An RNN has a matrix product of its own for its output. With `expose_hidden` the last states
    are outputs, too.
    """
    op.input(1)
    shape = op.shape()
    if len(shape) < 2:
        raise op.error("reads a blob without time and batch", fix="give it T×N×features")
    param, is_lstm = op.param("recurrent_param"), op.kind == "LSTM"
    hidden = param.integer("num_output")
    rows = 4 * hidden if is_lstm else hidden
    weights: list[tuple[str, Dims]] = [
        ("input_weight", (rows, product(shape[2:]))),
        ("input_bias", (rows,)),
    ]
    if len(op.inputs) > 2:
        weights.append(("static_weight", (rows, product(op.shape(2)[1:]))))
    weights.append(("hidden_weight", (rows, hidden)))
    if not is_lstm:
        weights += [("output_weight", (hidden, hidden)), ("output_bias", (hidden,))]
    parameters = [op.parameter(role, own, index) for index, (role, own) in enumerate(weights)]
    states = (2 if is_lstm else 1) if param.flag("expose_hidden") else 0
    shapes: list[Dims] = [(*shape[:2], hidden), *[(1, shape[1], hidden)] * states]
    return op.opaque(shapes, param="recurrent_param", inputs=[*op.inputs, *parameters])
