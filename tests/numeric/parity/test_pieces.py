"""An activation, norm or pooling in pieces is the layer, and another one is not: by running."""

from __future__ import annotations

import pytest

from modeldocs import diff as engine

from . import nets

NETWORK = """net (float[1,3,10,10] x) => (float y) {{
  zero = Constant <value_float = 0.0> ()  half = Constant <value_float = 0.5> ()
  one = Constant <value_float = 1.0> ()  three = Constant <value_float = 3.0> ()
  six = Constant <value_float = 6.0> ()  root = Constant <value_float = 1.4142135> ()
  channels = Constant <value_ints = [1]> ()  rows = Constant <value_ints = [2]> ()
  columns = Constant <value_ints = [3]> ()
  a = Conv (x, w)  {middle}  y = Conv (b, v) }}"""

WEIGHTS = {"w": (8, 3, 3, 3), "v": (4, 8, 1, 1), "s": (8,), "t": (8,)}

PIECES = {
    "HardSwish (a)": "i = Add (a, three)  j = Clip (i, zero, six)"
    "  k = Mul (a, j)  b = Div (k, six)",
    "Mish (a)": "i = Exp (a)  j = Add (i, one)  k = Log (j)  l = Tanh (k)  b = Mul (a, l)",
    "Softplus (a)": "i = Exp (a)  j = Add (one, i)  b = Log (j)",
    "Clip (a, zero, six)": "i = Relu (a)  b = Min (i, six)",
    "LogSoftmax <axis = 1> (a)": "i = Softmax <axis = 1> (a)  b = Log (i)",
    "Softmax <axis = 1> (a)": "i = Exp (a)  j = ReduceSum (i, channels)  b = Div (i, j)",
    "LpNormalization <axis = 1> (a)": "i = ReduceL2 (a, channels)  b = Div (a, i)",
    "Gelu (a)": "i = Div (a, root)  j = Erf (i)  k = Add (one, j)  l = Mul (half, a)"
    "  b = Mul (l, k)",
    "LeakyRelu <alpha = 0.5> (a)": "i = Mul (half, a)  b = Max (a, i)",
    "LayerNormalization <epsilon = 1.0> (a, s, t)": "i = ReduceMean (a, columns)  j = Sub (a, i)"
    "  k = Mul (j, j)  l = ReduceMean (k, columns)  m = Add (l, one)  n = Sqrt (m)"
    "  o = Div (j, n)  p = Mul (o, s)  b = Add (p, t)",
    "GlobalAveragePool (a)": "i = ReduceMean (a, columns)  b = ReduceMean (i, rows)",
}
"""The pieces of each layer."""

OTHERS = {
    'Gelu <approximate = "tanh"> (a)': PIECES["Gelu (a)"],
    "LogSoftmax <axis = 2> (a)": PIECES["LogSoftmax <axis = 1> (a)"],
    "LeakyRelu <alpha = 0.25> (a)": PIECES["LeakyRelu <alpha = 0.5> (a)"],
    "Clip (a, half, six)": PIECES["Clip (a, zero, six)"],
    "Sigmoid (a)": PIECES["Softplus (a)"],
}
"""The pieces of other layers."""


def settled(layer: str, pieces: str) -> tuple[str, list[str]]:
    """The verdict of parity on both, and the lines of the diff that are graver than spelling."""
    whole, apart = (
        nets.loaded(NETWORK.format(middle=middle), opset=22, **WEIGHTS)
        for middle in (f"b = {layer}", pieces)
    )
    result, structure = nets.parity(whole, apart)
    changes = engine.settle(structure, result).changes
    return result.verdict, [one.title for one in changes if one.consequence != "spelling"]


@pytest.mark.parametrize("layer", PIECES)
def test_a_layer_in_pieces_is_the_layer(layer):
    assert settled(layer, PIECES[layer]) == ("holds", [])


@pytest.mark.parametrize("layer", OTHERS)
def test_the_pieces_of_another_layer_are_told(layer):
    verdict, lines = settled(layer, OTHERS[layer])
    assert verdict == "diverges" and lines
