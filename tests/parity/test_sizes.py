"""One network for inputs of two sizes is run at one of them; the diff tells only the size."""

from __future__ import annotations

import pytest

from modeldocs import diff, parity
from tests.parity import nets
from tests.parity.test_bounds import port

NETS = {
    "batch": ("float[{n},8,6,6] x", "a = Conv (x, w)  y = Relu (a)", (1, 2)),
    "image": (
        "float[1,8,{n},{n}] x",
        "a = Conv (x, w)  p = GlobalAveragePool (a)  f = Flatten (p)  y = MatMul (f, v)",
        (6, 9),
    ),
    "length": ("float[1,{n},8] x", "a = MatMul (x, u)  y = Softmax (a)", (5, 7)),
}
WEIGHTS = {"w": (4, 8, 3, 3), "v": (4, 5), "u": (8, 8)}


def compared(inputs, body, sizes):
    weights = {name: shape for name, shape in WEIGHTS.items() if f" {name})" in body}
    text = "net ({inputs}) => (y) {{ {body} }}"
    a, b = (
        port(nets.loaded(text.format(inputs=inputs.format(n=n), body=body), **weights))
        for n in sizes
    )
    structure = diff.compare(a.graph, b.graph)
    return structure, parity.compare(a.normal, b.normal, structure)


@pytest.mark.parametrize("net", NETS)
def test_another_size_gives_the_same_numbers(net):
    structure, result = compared(*NETS[net])
    (change,) = structure.changes
    assert change.kind == "shape" and change.title.startswith("input ")
    assert result.verdict == "holds" and not result.uncompared


def test_another_function_is_found_at_another_size():
    inputs, body, sizes = NETS["batch"]
    a = port(nets.loaded(f"net ({inputs.format(n=1)}) => (y) {{ {body} }}", w=(4, 8, 3, 3)))
    other = body.replace("Relu", "Sigmoid")
    b = port(nets.loaded(f"net ({inputs.format(n=sizes[1])}) => (y) {{ {other} }}", w=(4, 8, 3, 3)))
    result = parity.compare(a.normal, b.normal, diff.compare(a.graph, b.graph))
    assert result.verdict == "diverges"
    assert result.first is not None and result.first.pair == (("relu-1",), ("sigmoid-1",))
