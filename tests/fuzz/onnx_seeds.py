"""Small ONNX graphs: between them most operators that normal form has something to say of."""

from __future__ import annotations

import numpy as np
import onnx.parser

from tests.loaders.onnx.test_fuzzed import GRAPH_BYTES, INTRICATE
from tests.onnxes import parse

F, I = np.float32, np.int64  # noqa: E741


def _f(*values: float) -> np.ndarray:
    return np.array(values, F)


def _i(*values: int) -> np.ndarray:
    return np.array(values, I)


def models() -> list[bytes]:
    """The graphs as files."""
    made = [parse(text, **held) for text, held in TEXTS]
    made += [parse(text, opset, **held) for text, opset, held in OLDER]
    made.append(onnx.parser.parse_model(FUNCTIONS))
    return [GRAPH_BYTES, INTRICATE, *(one.SerializeToString() for one in made)]


def _scalar(value: float) -> np.ndarray:
    return np.array(value, F)


CONVOLUTIONS = """net (float[1,4,9,9] x) => (y) {
    p = Pad (x, pads, zero)
    a = Conv <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]> (p, w, b)
    n = BatchNormalization <epsilon = 0.01> (a, s, s, s, s)
    r = Clip (n, zero, six)
    m = MaxPool <kernel_shape = [2,2], strides = [2,2], ceil_mode = 1> (r)
    q = AveragePool <kernel_shape = [3,3], auto_pad = "SAME_LOWER", count_include_pad = 1> (m)
    t = ConvTranspose <strides = [2,2], output_padding = [1,1]> (q, t_w)
    u = Resize <mode = "nearest"> (t, , scales)
    l = LRN <size = 3> (u)
    g = GlobalAveragePool (l)
    y = Flatten (g)
}"""
TRANSFORMER = """net (float[1,6,8] x, bool[1,1,6,6] mask) => (y) {
    mean = ReduceMean (x, last)
    d = Sub (x, mean)
    dd = Mul (d, d)
    var = ReduceMean (dd, last)
    ve = Add (var, eps)
    sd = Sqrt (ve)
    nn = Div (d, sd)
    n = Mul (nn, gamma)
    h = Add (n, beta)
    q0 = MatMul (h, wq)
    k0 = MatMul (h, wk)
    v0 = MatMul (h, wv)
    q1 = Reshape (q0, heads)
    k1 = Reshape (k0, heads)
    v1 = Reshape (v0, heads)
    q = Transpose <perm = [0,2,1,3]> (q1)
    k = Transpose <perm = [0,2,3,1]> (k1)
    v = Transpose <perm = [0,2,1,3]> (v1)
    s0 = MatMul (q, k)
    s1 = Mul (s0, scale)
    s2 = Where (mask, s1, low)
    p = Softmax <axis = -1> (s2)
    c0 = MatMul (p, v)
    c1 = Transpose <perm = [0,2,1,3]> (c0)
    c = Reshape (c1, rows)
    o = Gemm <transB = 1, alpha = 0.5> (c, wo, bo)
    e0 = Div (o, root)
    e1 = Erf (e0)
    e2 = Add (e1, one)
    e3 = Mul (o, e2)
    y = Mul (e3, half)
}"""
SHAPES = """net (float[1,4,6] x) => (y, k) {
    s = Shape (x)
    d = Gather <axis = 0> (s, i1)
    u = Unsqueeze (d, i0)
    c = Concat <axis = 0> (i1v, u, m1)
    r = Reshape (x, c)
    z = Squeeze (r, i0)
    sl = Slice (x, starts, ends, axes, steps)
    a, b = Split <axis = 1> (x, sizes)
    t = Tile (a, reps)
    e = Expand (b, to)
    f = ConstantOfShape <value = float[1] {1.0}> (to)
    ef = Add (e, f)
    g = GatherElements <axis = 1> (x, picks)
    h = ReduceSum <keepdims = 0> (ef, i0)
    rg = Range (zero, four, one)
    cr = Cast <to = 1> (rg)
    v, k = TopK <axis = -1> (cr, two)
    cs = CumSum (cr, axis0)
    oh = OneHot (k, depth, offon)
    dp = DepthToSpace <blocksize = 2> (img)
    sp = SpaceToDepth <blocksize = 2> (dp)
    re = ReduceMax (sp)
    su = ReduceMean (t)
    y = Sum (re, su, h)
}"""
RECURRENT = """net (float[5,1,4] x) => (y) {
    a, ah, ac = LSTM <hidden_size = 3, direction = "bidirectional"> (x, w, r, b)
    t = Transpose <perm = [0,2,1,3]> (a)
    q = Reshape (t, rows)
    g, gh = GRU <hidden_size = 2, linear_before_reset = 1> (q, gw, gr)
    n, nh = RNN <hidden_size = 2> (q, nw, nr)
    y = Add (gh, nh)
}"""
ACTIVATIONS = """net (float[2,3,4] x) => (y) {
    a = Sigmoid (x)
    b = Mul (x, a)
    c = LeakyRelu <alpha = 0.2> (b)
    d = PRelu (c, slope)
    e = Elu (d)
    f = HardSigmoid <alpha = 0.2> (e)
    g = Softplus (f)
    h = Tanh (g)
    i = Mul (g, h)
    j = Gelu <approximate = "tanh"> (i)
    k = HardSwish (j)
    l = Pow (k, two)
    m = ReduceMean (l, last)
    n = Add (m, eps)
    o = Sqrt (n)
    p = Reciprocal (o)
    q = Mul (k, p)
    r = Max (q, zero)
    s = Min (r, six)
    t = LogSoftmax <axis = 1> (s)
    u = InstanceNormalization (t, one3, one3)
    v = GroupNormalization <num_groups = 3> (u, one3, one3)
    w = LayerNormalization <axis = -1> (v, one4, one4)
    z = Einsum <equation = "abc,dc->abd"> (w, m4)
    y = MatMul (z, m44)
}"""
QUANTISED = """net (float[1,4,6,6] x) => (y, n) {
    q = QuantizeLinear <axis = 1> (x, s, z)
    d = DequantizeLinear (q, s, z)
    wd = DequantizeLinear <axis = 0> (w, ws, wz)
    c = Conv (d, wd)
    i = QLinearConv (q, s, z, w, s, wz1, s, z)
    di = DequantizeLinear (i, s, z)
    j = Add (c, di)
    n = NonMaxSuppression (boxes, scores, most, iou)
    y = Relu (j)
}"""
LOOPS = """net (float[1,4] x, int64 n, bool c) => (y, w) {
    r = Relu (x)
    y = Loop (n, c, r) <
        body = step (int64 i, bool go, float[1,4] s) => (bool on, float[1,4] t) {
            on = Identity (go)
            t = Add (s, r)
        }
    >
    v, w = Scan <num_scan_inputs = 1, body = each (float[4] s, float[4] u)
        => (float[4] o, float[4] p) { o = Add (s, u)  p = Relu (o) }> (zeros, x)
}"""
OWN = """net (float[1,4,8,8] x) => (y) {
    a = com.microsoft.FusedConv <activation = "Relu"> (x, w)
    b = own.Twist <by = 3, kind = "soft"> (a)
    c = com.microsoft.Gelu (b)
    y = com.microsoft.SkipLayerNormalization (c, c, g)
}"""
EXPANDED = """net (float["N",3,"H","W"] x) => (y) {
    i = Identity (x)
    s = Shape <start = 2> (i)
    k = Constant <value_ints = [1, -1]> ()
    z = Concat <axis = 0> (k, s)
    d = Dropout (i)
    r = Reshape (d, z)
    m = MatMul (r, r)
    e = Attention <q_num_heads = 1, kv_num_heads = 1> (m, m, m)
    y = RMSNormalization (e, g)
}"""
ONES3, ONES4 = np.ones(3, F), np.ones(4, F)
TEXTS = [
    (CONVOLUTIONS, {"w": (4, 4, 3, 3), "b": (4,), "s": np.ones(4, F), "t_w": (4, 2, 3, 3),
                    "pads": _i(0, 0, 1, 1, 0, 0, 1, 1), "zero": _scalar(0), "six": _scalar(6),
                    "scales": _f(1, 1, 2, 2)}),
    (TRANSFORMER, {"last": _i(-1), "eps": _scalar(1e-5), "gamma": np.ones(8, F),
                   "beta": np.zeros(8, F), "wq": (8, 8), "wk": (8, 8), "wv": (8, 8),
                   "heads": _i(1, 6, 2, 4), "scale": _scalar(0.5), "low": _scalar(-1e9),
                   "rows": _i(6, 8), "wo": (5, 8), "bo": (5,), "root": _scalar(2**0.5),
                   "one": _scalar(1), "half": _scalar(0.5)}),
    (SHAPES, {"i1": np.array(1), "i0": _i(0), "i1v": _i(1), "m1": _i(-1), "starts": _i(0, 3),
              "ends": _i(2, -7), "axes": _i(1, 2), "steps": _i(1, -1), "sizes": _i(1, 3),
              "reps": _i(1, 3, 1), "to": _i(1, 3, 6), "picks": np.zeros((1, 2, 6), I),
              "zero": np.array(0), "four": np.array(4), "one": np.array(1), "two": _i(2),
              "axis0": np.array(0), "depth": np.array(4), "offon": _f(0, 1),
              "img": np.ones((1, 4, 2, 2), F)}),
    (RECURRENT, {"w": (2, 12, 4), "r": (2, 12, 3), "b": (2, 24), "rows": _i(5, 1, 6),
                 "gw": (1, 6, 6), "gr": (1, 6, 2), "nw": (1, 2, 6), "nr": (1, 2, 2)}),
    (ACTIVATIONS, {"slope": np.ones((3, 1), F), "two": _scalar(2), "last": _i(-1),
                   "eps": _scalar(1e-6), "zero": _scalar(0), "six": _scalar(6), "one3": ONES3,
                   "one4": ONES4, "m4": np.ones((5, 4), F), "m44": (5, 2)}),
    (QUANTISED, {"s": _scalar(0.1), "z": np.array(0, np.uint8), "w": np.ones((4, 4, 3, 3), np.int8),
                 "ws": ONES4, "wz": np.zeros(4, np.int8), "wz1": np.array(0, np.int8),
                 "boxes": np.ones((1, 5, 4), F), "scores": np.ones((1, 2, 5), F),
                 "most": _i(3), "iou": _f(0.5)}),
    (LOOPS, {"zeros": np.zeros(4, F)}),
    (OWN, {"w": (4, 4, 3, 3), "g": (8,)}),
    (EXPANDED, {"g": np.ones(4, F)}),
]  # fmt: skip
OLDER = [
    ("""net (float[1,4,8,8] x) => (y) {
        p = Pad <pads = [0,0,1,1,0,0,1,1], mode = "reflect"> (x)
        c = Conv <group = 2> (p, w)
        u = Upsample <mode = "nearest"> (c, scales)
        s = Slice <starts = [0], ends = [2], axes = [1]> (u)
        q = Squeeze <axes = [0]> (s)
        e = Unsqueeze <axes = [0]> (q)
        a, b = Split <axis = 2, split = [4, 12]> (e)
        k = Clip <max = 6.0, min = 0.0> (a)
        d, m = Dropout <ratio = 0.3> (k)
        r = ReduceSum <axes = [2, 3], keepdims = 0> (d)
        f = Softmax (r)
        y = Gemm (f, g, h)
    }""", 9, {"w": (4, 2, 3, 3), "scales": _f(1, 1, 2, 2), "g": (2, 3), "h": (3,)}),
    ("""net (float[1,4,8,8] x) => (y) {
        b = BatchNormalization <is_test = 1, consumed_inputs = [0,0,0,1,1]> (x, s, s, s, s)
        a = Add <broadcast = 1, axis = 1> (b, s)
        y = Reshape <shape = [1, -1]> (a)
    }""", 1, {"s": np.ones(4, F)}),
]  # fmt: skip
FUNCTIONS = """
<ir_version: 8, opset_import: ["" : 20, "own" : 1]>
net (float[1,4] x) => (float[1,4] y) { h = own.two <scale: float = 2.0> (x)  y = own.one (h) }
<domain: "own", opset_import: ["" : 20]>
one (a) => (b) { c = Relu (a)  b = LeakyRelu <alpha = 0.1> (c) }
<domain: "own", opset_import: ["" : 20, "own" : 1]>
two <scale> (a) => (b) { k = Constant <value_float: float = @scale> ()  m = Mul (a, k)  b = own.one (m) }
"""  # noqa: E501
