"""One network for inputs of two sizes is run at one of them; the diff tells only the size."""

from __future__ import annotations

import pytest

from modeldocs import diff
from modeldocs.numeric import parity
from modeldocs.numeric.parity.sizes import resizing
from tests.numeric.parity import nets
from tests.numeric.parity.test_bounds import port

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


POSITIONS = """net (float[1,{n},8] x) => (y) {{
    i = Constant <value_ints = [{places}]> ()
    f = Cast <to = 1> (i)
    e = Constant <value_ints = [1]> ()
    c = Unsqueeze (f, e)
    b = Constant <value_float = {base}> ()
    x8 = Constant <value_ints = [0, 1, 2, 3, 4, 5, 6, 7]> ()
    f8 = Cast <to = 1> (x8)
    d8 = Constant <value_float = -8.0> ()
    e8 = Div (f8, d8)
    w = Pow (b, e8)
    g = Mul (c, w)
    t = Sin (g)
    z = Constant <value_ints = [{n}, {n}]> ()
    v = ConstantOfShape <value = float[1] {{-9.0}}> (z)
    k = Constant <value_int = 1> ()
    m = Trilu <upper = 1> (v, k)
    h = Constant <value_ints = [{n}, 2, 4]> ()
    a = MatMul (x, u)
    p = Add (a, t)
    r = Transpose <perm = [0, 2, 1]> (p)
    s = MatMul (p, r)
    q = Add (s, m)
    l = Softmax (q)
    o = MatMul (l, p)
    d = Reshape (o, h)
    y = MatMul (d, j)
}}"""


def positions(rows, base=10.0):
    """Attention in which each word sees those before it, traced for so many."""
    places = ", ".join(map(str, range(rows)))
    text = POSITIONS.format(n=rows, places=places, base=base)
    return port(nets.loaded(text, u=(8, 8), j=(4, 5)))


def told(a, b):
    structure = diff.compare(a.graph, b.graph)
    result = parity.compare(a.normal, b.normal, structure)
    return result, [
        c for c in diff.settle(structure, result).changes if c.consequence == "computes"
    ]


@pytest.mark.parametrize("rows", [(7, 5), (5, 7)])
def test_tables_and_masks_of_another_length_keep_their_first_rows(rows):
    result, computes = told(*map(positions, rows))
    assert result.verdict == "holds" and not computes


def test_a_table_of_other_positions_is_found_at_another_length():
    result, (change,) = told(positions(7), positions(5, base=20.0))
    assert result.verdict == "diverges"
    assert change.title.startswith("constant operand") and "Add" in change.title


def test_a_weight_of_other_rows_is_no_matter_of_the_length():
    text = "net (float[1,{n},8] x) => (y) {{ a = Add (x, t)  y = MatMul (a, u) }}"
    a, b = (port(nets.loaded(text.format(n=n), t=(n, 8), u=(8, 8))) for n in (7, 5))
    result, _ = told(a, b)
    assert [one.pair for one in result.uncompared] == [(("gemm-1",), ("gemm-1",))]


@pytest.mark.parametrize(
    ("was", "now", "stated", "expected"),
    [
        ((1, 12, 48), (1, 9, 48), (1, 12, 4, 12), [1, 9, 4, 12]),
        ((2, 12, 8), (2, 9, 8), (24, 8), [18, 8]),
        ((2, 12, 8), (1, 12, 8), (24, 8), [12, 8]),
        ((24, 8), (18, 8), (2, 12, 8), [2, 9, 8]),
        ((1, 8, 14, 14), (1, 8, 7, 7), (1, 8, 196), [1, 8, 49]),
        ((1, 8, 16, 16), (1, 8, 8, 8), (1, 8, 4, 4, 4, 4), [1, 8, 2, 4, 2, 4]),
        ((12,), (9,), (1, 12, 1), [1, 9, 1]),
    ],
)
def test_the_shape_that_a_reshape_states_follows(was, now, stated, expected):
    constant = f"s = Constant <value_ints = {list(stated)}> ()"
    text = f"net (float{list(was)} x) => (y) {{ {constant}  y = Reshape (x, s) }}"
    model = nets.in_form(nets.loaded(text))
    assert resizing.resize(model, {"x": now})
    assert list(model.graph.outputs[0].shape) == expected
