"""Small nets of operators that read or write elements at places."""

from __future__ import annotations

import numpy as np

from ..normal.nets import Net


def two(body: str, x: str = "float[2,5,6] x", out: str = "float[?,?,?] y, int64[?,?,?] i") -> str:
    """The text of a net of several layers."""
    return f"agraph ({x}) => ({out}) {{ {body} }}"


ONE = "float[?,?,?] y"
K = np.array([2], np.int64)

TOP_K = {
    "TopK": Net(two("y, i = TopK (x, k)"), k=K),
    "TopK, an axis in front": Net(two("y, i = TopK <axis: int = 1> (x, k)"), k=K),
    "TopK of the first axis": Net(two("y, i = TopK <axis: int = -3> (x, k)"), k=K),
    "TopK, the smallest": Net(two("y, i = TopK <largest: int = 0> (x, k)"), k=K),
    "TopK, the smallest alone": Net(two("y, i = TopK <largest: int = 0> (x, k)", out=ONE), k=K),
    "TopK, the smallest along an axis": Net(
        two("y, i = TopK <axis: int = 1, largest: int = 0> (x, k)"), k=K
    ),
    "TopK of equal values": Net(two("r = Round (x) y, i = TopK (r, k)"), k=np.array([5])),
    "TopK of equal values, the smallest": Net(
        two("r = Round (x) y, i = TopK <largest: int = 0> (r, k)"), k=np.array([5])
    ),
    "TopK, places alone": Net(
        two("y, i = TopK <axis: int = -2> (x, k)", out="int64[?,?,?] i"), k=K
    ),
    "TopK of images": Net(
        two(
            "z = Conv <pads: ints = [1, 1, 1, 1]> (x, w) v, i = TopK <axis: int = 1> (z, k) "
            "y = Relu (v)",
            "float[1,4,5,6] x",
            "float[?,?,?,?] y, int64[?,?,?,?] i",
        ),
        k=K,
        w=(4, 4, 3, 3),
    ),
    "TopK, weights of experts": Net(
        two(
            "p = Softmax (x) v, i = TopK (p, k) s = ReduceSum (v, a) y = Div (v, s) "
            "h = OneHot <axis: int = -1> (i, d, o) g = ReduceSum <keepdims: int = 0> (h, b)",
            out="float[?,?,?] y, float[?,?,?] g",
        ),
        k=K,
        a=np.array([-1]),
        b=np.array([-2]),
        d=np.array([6]),
        o=np.array([0, 1], np.float32),
    ),
}

INDICES = np.array([[[0, 5, -1, 3, 2, 2]], [[1, 1, 4, 0, -6, 3]]], np.int64)

GATHERS = {
    "GatherElements": Net(
        two(
            "v, i = TopK <axis: int = 2> (x, k) n = Neg (x) y = GatherElements <axis: int = 2> "
            "(n, i)",
            out=ONE,
        ),
        k=K,
    ),
    "GatherElements, a negative axis": Net(
        two(
            "v, i = TopK <axis: int = 1> (x, k) y = GatherElements <axis: int = -2> (x, i)", out=ONE
        ),
        k=K,
    ),
    "GatherElements of constant places": Net(
        two("y = GatherElements <axis: int = 2> (x, i)", out=ONE), i=INDICES
    ),
    "GatherElements of fewer rows": Net(
        two("y = GatherElements <axis: int = 1> (x, i)", out=ONE),
        i=np.array([[[0, 4, -5], [3, 3, 1]]], np.int32),
    ),
    "GatherElements of images": Net(
        two(
            "z = Conv <pads: ints = [1, 1, 1, 1]> (x, w) v, i = TopK <axis: int = 3> (z, k) "
            "y = GatherElements <axis: int = 3> (z, i)",
            "float[1,4,5,6] x",
            "float[?,?,?,?] y",
        ),
        k=K,
        w=(4, 4, 3, 3),
    ),
    "GatherND": Net(
        two("y = GatherND (x, i)", out="float[?,?] y"), i=np.array([[0, 1], [1, -1], [1, 4]])
    ),
    "GatherND of single elements": Net(
        two("y = GatherND (x, i)", out="float[?] y"), i=np.array([[0, 1, -6], [1, 4, -2]])
    ),
    "GatherND of rows": Net(
        two("y = GatherND (x, i)", out="float[?,?,?,?] y"), i=np.array([[[0], [1]], [[1], [1]]])
    ),
    "GatherND of each item": Net(
        two("y = GatherND <batch_dims: int = 1> (x, i)", out="float[?,?] y"),
        i=np.array([[3], [-1]]),
    ),
    "GatherND of each item, single elements": Net(
        two("y = GatherND <batch_dims: int = 1> (x, i)", out="float[?,?] y"),
        i=np.array([[[3, -1], [0, 0], [2, 2]], [[-1, 5], [4, 1], [0, 2]]]),
    ),
    "GatherND of each row": Net(
        two("v, i = TopK (x, k) y = GatherND <batch_dims: int = 2> (x, i)", out="float[?,?] y"),
        k=np.array([1]),
    ),
    "GatherND of computed places": Net(
        two(
            "m = ArgMax <axis: int = 1, keepdims: int = 0> (x) u = Unsqueeze (m, a) "
            "y = GatherND <batch_dims: int = 1> (x, u)",
            out="float[?,?,?] y",
        ),
        a=np.array([2]),
    ),
}

UPDATES = np.arange(1, 13, dtype=np.float32).reshape(2, 1, 6)
PLACES = np.array([[0, 1], [1, 4], [0, 1]], np.int64)
DISTINCT = np.array([[0, 1], [1, 4], [1, -5]], np.int64)
ROWS = np.arange(18, dtype=np.float32).reshape(3, 6)


def scatter(operator: str, reduction: str, axis: str = "") -> str:
    """The text of a scatter with a reduction."""
    return two(
        f'n = Exp (x) y = {operator} <{axis}reduction: string = "{reduction}"> (n, i, u)',
        out=ONE,
    )


SCATTERS = {
    "ScatterElements": Net(
        two(
            "v, i = TopK (x, k) e = Exp (v) n = Neg (x) y = ScatterElements <axis: int = -1> "
            "(n, i, e)",
            out=ONE,
        ),
        k=K,
    ),
    "ScatterElements of an axis": Net(
        two(
            "v, i = TopK <axis: int = 1> (x, k) e = Exp (v) y = ScatterElements <axis: int = 1> "
            "(x, i, e)",
            out=ONE,
        ),
        k=K,
    ),
    "ScatterElements on zeros": Net(
        two("v, i = TopK (x, k) y = ScatterElements <axis: int = 2> (z, i, v)", out=ONE),
        k=K,
        z=np.zeros((2, 5, 6), np.float32),
    ),
    **{
        f"ScatterElements, {kind}": Net(
            scatter("ScatterElements", kind, "axis: int = 2, "), i=INDICES, u=UPDATES
        )
        for kind in ("add", "mul", "max", "min")
    },
    "ScatterND": Net(two("y = ScatterND (x, i, u)", out=ONE), i=DISTINCT, u=ROWS),
    "ScatterND of rows": Net(
        two("n = Neg (x) y = ScatterND (n, i, u)", out=ONE),
        i=np.array([[1]]),
        u=np.ones((1, 5, 6), np.float32),
    ),
    "ScatterND, add": Net(scatter("ScatterND", "add"), i=PLACES, u=ROWS),
}

SCATTERS |= {
    f"ScatterND, {kind}": Net(scatter("ScatterND", kind), i=PLACES, u=ROWS)
    for kind in ("mul", "max", "min")
}

DEPTH, BOTH = np.array([7], np.int64), np.array([0, 1], np.float32)
INTEGERS = "r = Cast <to: int = 7> (x) "

ONE_HOTS = {
    "OneHot": Net(
        two("i = ArgMax <axis: int = 1, keepdims: int = 0> (x) y = OneHot (i, d, o)", out=ONE),
        d=DEPTH,
        o=BOTH,
    ),
    "OneHot, an axis in front": Net(
        two(
            "i = ArgMax <axis: int = 2, keepdims: int = 0> (x) "
            "y = OneHot <axis: int = 1> (i, d, o)",
            out=ONE,
        ),
        d=DEPTH,
        o=np.array([-1, 2], np.float32),
    ),
    "OneHot, the first axis": Net(
        two(
            "i = ArgMax <axis: int = 2, keepdims: int = 0> (x) "
            "y = OneHot <axis: int = 0> (i, d, o)",
            out=ONE,
        ),
        d=DEPTH,
        o=BOTH,
    ),
    "OneHot, places beyond": Net(
        two("i = ArgMax <axis: int = 2, keepdims: int = 0> (x) y = OneHot (i, d, o)", out=ONE),
        d=np.array([3]),
        o=BOTH,
    ),
    "OneHot of any integers": Net(
        two(
            "s = Mul (x, t) r = Cast <to: int = 7> (s) y = OneHot (r, d, o)",
            out="float[?,?,?,?] y",
        ),
        t=np.float32(3),
        d=np.array([3]),
        o=BOTH,
    ),
    "OneHot of integers, in integers": Net(
        two(
            "i = ArgMax <axis: int = 2, keepdims: int = 0> (x) y = OneHot (i, d, o)",
            out="int64[?,?,?] y",
        ),
        d=DEPTH,
        o=np.array([0, 1]),
    ),
    "Hardmax": Net(two("y = Hardmax (x)", out=ONE)),
    "Hardmax of an axis": Net(two("r = Round (x) y = Hardmax <axis: int = 1> (r)", out=ONE)),
    "Hardmax of images": Net(
        two(
            "z = Conv <pads: ints = [1, 1, 1, 1]> (x, w) y = Hardmax <axis: int = 1> (z)",
            "float[1,4,5,6] x",
            "float[?,?,?,?] y",
        ),
        w=(4, 4, 3, 3),
    ),
}

NETS = TOP_K | GATHERS | SCATTERS | ONE_HOTS
