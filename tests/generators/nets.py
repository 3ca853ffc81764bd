"""Small nets, of one operator each, that programs are generated from."""

from __future__ import annotations

import numpy as np

from modeldocs.numeric.parity.regions.laws.shifted_windows import ShiftedWindows

from ..normal.nets import Net
from . import element_nets, index_nets, signal_nets, table_nets

IMAGE = "float[1,4,9,11] x"
ROWS = "float[2,5,6] x"


def one(operator: str, given: str = IMAGE, out: str = "float[?,?,?,?] y") -> str:
    """The text of a net of one layer."""
    return f"agraph ({given}) => ({out}) {{ y = {operator} }}"


def images(rest: str, out: str = "float[?,?,?,?] y") -> str:
    """The text of a net that goes on with the output `z` of a convolution of images."""
    pads = "pads: ints = [1, 1, 1, 1]"
    return f"agraph ({IMAGE}) => ({out}) {{ z = Conv <{pads}> (x, w) {rest} }}"


ROW = "float[?,?,?] y"

NETS = {
    "Abs": Net(one("Abs (x)")),
    "Add": Net(one("Add (x, b)"), b=(4, 1, 1)),
    "Add, the mask of shifted windows": Net(
        one("Add (x, m)", "float[6,16,16] x", ROW),
        m=ShiftedWindows((2, 3), (4, 4), (2, 1), (6, 16, 16), 0, -100, np.dtype("f4")).array(),
    ),
    "ArgMax": Net(one("ArgMax <axis: int = 1, keepdims: int = 0> (x)", out="int64[?,?,?] y")),
    "Attention": Net(
        one("Attention <q_num_heads: int = 2, kv_num_heads: int = 2> (x, x, x)", ROWS, ROW),
        opset=23,
    ),
    "Attention, causal": Net(
        one(
            "Attention <q_num_heads: int = 2, kv_num_heads: int = 2, is_causal: int = 1> (x, x, x)",
            ROWS,
            ROW,
        ),
        opset=23,
    ),
    "Attention, capped": Net(
        one(
            "Attention <q_num_heads: int = 2, kv_num_heads: int = 2, softcap: float = 0.5> "
            "(x, x, x)",
            ROWS,
            ROW,
        ),
        opset=23,
    ),
    "Attention, capped and causal with shared heads": Net(
        "agraph (float[2,5,8] x, float[2,5,4] k) => (float[2,5,8] y) { y = Attention "
        "<q_num_heads: int = 4, kv_num_heads: int = 2, is_causal: int = 1, softcap: float = 0.5, "
        "scale: float = 0.9> (x, k, k) }",
        opset=23,
    ),
    "Attention, values wider than keys": Net(
        "agraph (float[2,5,6] x, float[2,5,10] v) => (float[2,5,10] y) { y = Attention "
        "<q_num_heads: int = 2, kv_num_heads: int = 2> (x, x, v) }",
        opset=23,
    ),
    "Attention, causal with a mask": Net(
        "agraph (float[2,5,6] x, float[2,1,5,5] m) => (float[2,5,6] y) { y = Attention "
        "<q_num_heads: int = 2, kv_num_heads: int = 2, is_causal: int = 1> (x, x, x, m) }",
        opset=23,
    ),
    "AveragePool": Net(
        one("AveragePool <kernel_shape: ints = [3, 2], strides: ints = [2, 2]> (x)")
    ),
    "AveragePool, pads counted": Net(
        one(
            "AveragePool <kernel_shape: ints = [3, 3], pads: ints = [1, 1, 1, 1], "
            "count_include_pad: int = 1> (x)"
        )
    ),
    "AveragePool, unequal pads left out": Net(
        one(
            "AveragePool <kernel_shape: ints = [3, 3], strides: ints = [2, 2], "
            "pads: ints = [0, 0, 1, 1]> (x)",
            "float[1,4,8,10] x",
        )
    ),
    "BatchNormalization": Net(
        one("BatchNormalization <epsilon: float = 0.01> (x, s, b, m, v)"),
        s=(4,),
        b=(4,),
        m=(4,),
        v=(4,),
    ),
    "BatchNormalization without scale": Net(
        one("BatchNormalization (x, s, b, m, v)"),
        s=np.ones(4, np.float32),
        b=(4,),
        m=(4,),
        v=(4,),
    ),
    "Clip": Net(one("Clip (x, low, high)"), low=np.float32(-0.5), high=np.float32(0.7)),
    "Clip to 6": Net(one("Clip (x, low, high)"), low=np.float32(0), high=np.float32(6)),
    "Concat": Net(one("Concat <axis: int = 1> (x, c)"), c=(1, 2, 9, 11)),
    "Conv": Net(
        one("Conv <strides: ints = [2, 1], dilations: ints = [1, 2]> (x, w, b)"),
        w=(8, 4, 3, 3),
        b=(8,),
    ),
    "Conv, grouped, unequal pads": Net(
        one("Conv <group: int = 2, pads: ints = [0, 1, 2, 1]> (x, w)"), w=(6, 2, 3, 3)
    ),
    "Conv of rank 3": Net(
        one("Conv <pads: ints = [1, 1]> (x, w)", "float[1,4,9] x", ROW), w=(6, 4, 3)
    ),
    "ConvTranspose": Net(
        one(
            "ConvTranspose <strides: ints = [2, 2], pads: ints = [1, 1, 1, 1], "
            "output_padding: ints = [1, 1]> (x, w, b)"
        ),
        w=(4, 5, 3, 3),
        b=(5,),
    ),
    "DepthToSpace": Net(
        one('DepthToSpace <blocksize: int = 2, mode: string = "CRD"> (x)', "float[1,8,3,5] x")
    ),
    "Div": Net(one("Div (x, b)"), b=np.full((1,), 3.0, np.float32)),
    "Elu": Net(one("Elu <alpha: float = 0.5> (x)")),
    "Exp": Net(one("Exp (x)")),
    "Gather of one row": Net(
        "agraph (float[2,5,6] x) => (float[2,6] y) { i = Constant <value_int: int = 1> () "
        "y = Gather <axis: int = 1> (x, i) }"
    ),
    "Gelu": Net(one("Gelu (x)")),
    "Gelu by tanh": Net(one('Gelu <approximate: string = "tanh"> (x)')),
    "Gemm": Net(
        one("Gemm <transB: int = 1> (x, w, b)", "float[2,6] x", "float[?,?] y"), w=(3, 6), b=(3,)
    ),
    "GlobalAveragePool": Net(one("GlobalAveragePool (x)")),
    "GlobalMaxPool": Net(one("GlobalMaxPool (x)")),
    "GroupNormalization": Net(
        one("GroupNormalization <num_groups: int = 2> (x, s, b)"), opset=21, s=(4,), b=(4,)
    ),
    "HardSwish": Net(one("HardSwish (x)")),
    "InstanceNormalization": Net(one("InstanceNormalization (x, s, b)"), s=(4,), b=(4,)),
    "LRN": Net(one("LRN <size: int = 3, alpha: float = 0.1, bias: float = 2.0> (x)")),
    "LayerNormalization": Net(
        one("LayerNormalization <epsilon: float = 0.01> (x, s, b)", ROWS, ROW), s=(6,), b=(6,)
    ),
    "LeakyRelu": Net(one("LeakyRelu <alpha: float = 0.2> (x)")),
    "LogSoftmax": Net(one("LogSoftmax <axis: int = 1> (x)")),
    "MatMul of data": Net(
        "agraph (float[2,5,6] x) => (float[2,5,5] y) { t = Transpose <perm: ints = [0, 2, 1]> (x) "
        "y = MatMul (x, t) }"
    ),
    "Max": Net(one("Max (x, b)"), b=(4, 1, 1)),
    "Max of a number": Net(one("Max (x, b)"), b=np.float32(0.25)),
    "Min of a number": Net(one("Min (x, b)"), b=np.float32(0.25)),
    "HardSigmoid": Net(one("HardSigmoid (x)")),
    "MaxPool": Net(
        one(
            "MaxPool <kernel_shape: ints = [3, 3], strides: ints = [2, 2], "
            "pads: ints = [1, 1, 1, 1]> (x)"
        )
    ),
    "MaxPool, unequal pads as rounding up": Net(
        one(
            "MaxPool <kernel_shape: ints = [3, 3], strides: ints = [2, 2], "
            "pads: ints = [0, 0, 1, 1]> (x)",
            "float[1,4,8,10] x",
        )
    ),
    "MaxPool, unequal pads": Net(
        one(
            "MaxPool <kernel_shape: ints = [2, 2], pads: ints = [1, 0, 0, 1]> (x)",
        )
    ),
    "Mish": Net(one("Mish (x)")),
    "PRelu": Net(one("PRelu (x, s)"), s=(4, 1, 1)),
    "Pad": Net(
        one('Pad <mode: string = "reflect"> (x, p)'),
        p=np.array([0, 0, 1, 2, 0, 0, 2, 1], np.int64),
    ),
    "Pow": Net(one("Pow (x, b)"), b=np.float32(2)),
    "ReduceMean": Net(
        one("ReduceMean <keepdims: int = 0> (x, a)", out="float[?,?] y"),
        a=np.array([2, 3], np.int64),
    ),
    "Relu": Net(one("Relu (x)")),
    "Resize, bilinear": Net(
        one('Resize <mode: string = "linear"> (x, , f)'), f=np.array([1, 1, 2, 2], np.float32)
    ),
    "Pad, of images, that cuts": Net(
        one("Pad (x, p)"), p=np.array([0, 0, 1, -2, 0, 0, -1, 1], np.int64)
    ),
    "Pad, of steps, that cuts": Net(
        one("Pad (x, p)", ROWS, ROW), p=np.array([0, 1, 0, 0, -1, 0], np.int64)
    ),
    "Resize, antialiased": Net(
        one(
            'Resize <mode: string = "linear", antialias: int = 1, exclude_outside: int = 1> '
            "(x, , , s)"
        ),
        s=np.array([1, 4, 5, 6], np.int64),
    ),
    "Resize, aligned": Net(
        one(
            'Resize <mode: string = "linear", '
            'coordinate_transformation_mode: string = "align_corners"> (x, , , s)'
        ),
        s=np.array([1, 4, 5, 17], np.int64),
    ),
    "Resize, cubic": Net(
        one('Resize <mode: string = "cubic", cubic_coeff_a: float = -0.75> (x, , , s)'),
        s=np.array([1, 4, 18, 15], np.int64),
    ),
    "Resize, cubic and aligned": Net(
        one(
            'Resize <mode: string = "cubic", '
            'coordinate_transformation_mode: string = "align_corners"> (x, , , s)'
        ),
        s=np.array([1, 4, 4, 15], np.int64),
    ),
    "Resize, cubic of another kernel": Net(
        one('Resize <mode: string = "cubic", cubic_coeff_a: float = -0.5> (x, , , s)'),
        s=np.array([1, 4, 13, 15], np.int64),
    ),
    "Resize, nearest": Net(
        one(
            'Resize <mode: string = "nearest", nearest_mode: string = "floor", '
            'coordinate_transformation_mode: string = "asymmetric"> (x, , f)'
        ),
        f=np.array([1, 1, 2, 2], np.float32),
    ),
    "Selu": Net(one("Selu (x)")),
    "Sigmoid": Net(one("Sigmoid (x)")),
    "Slice": Net(
        one("Slice (x, s, e, a, t)"),
        s=np.array([1, 2], np.int64),
        e=np.array([8, 100], np.int64),
        a=np.array([2, 3], np.int64),
        t=np.array([1, 3], np.int64),
    ),
    "Softmax": Net(one("Softmax <axis: int = -1> (x)")),
    "Softplus": Net(one("Softplus (x)")),
    "Split": Net(
        "agraph (float[2,5,6] x) => (float[2,5,2] y, float[2,5,4] z) "
        "{ y, z = Split <axis: int = 2> (x, s) }",
        s=np.array([2, 4], np.int64),
    ),
    "Sqrt": Net("agraph (float[2,3] x) => (float[2,3] y) { a = Abs (x) y = Sqrt (a) }"),
    "Cos": Net(one("Cos (x)")),
    "Erf": Net(one("Erf (x)")),
    "Expand": Net(
        "agraph (float[2,1,6] x) => (float[2,4,6] y) { a = Relu (x) y = Expand (a, s) }",
        s=np.array([2, 4, 6], np.int64),
    ),
    "Mul": Net(one("Mul (x, b)"), b=(4, 1, 1)),
    "Neg": Net(one("Neg (x)")),
    "ReduceMax": Net(one("ReduceMax <keepdims: int = 1> (x, a)"), a=np.array([1], np.int64)),
    "ReduceL2": Net(one("ReduceL2 <keepdims: int = 1> (x, a)"), a=np.array([1], np.int64)),
    "Sub": Net(one("Sub (x, b)"), b=(4, 1, 1)),
    "Swish": Net("agraph (float[2,3] x) => (float[2,3] y) { s = Sigmoid (x) y = Mul (x, s) }"),
    "Tanh": Net(one("Tanh (x)")),
    "Transpose and Reshape": Net(
        "agraph (float[1,4,3,5] x) => (float[1,15,2,2] y) { a = Relu (x) "
        "t = Transpose <perm: ints = [0, 2, 3, 1]> (a) y = Reshape (t, s) }",
        s=np.array([1, 15, 2, 2], np.int64),
    ),
    "Where": Net(
        "agraph (float[2,3] x) => (float[2,3] y) { z = Constant <value_float: float = 0.0> () "
        "c = Greater (x, z) n = Neg (x) e = Exp (x) y = Where (c, n, e) }"
    ),
    "Conv, then Softmax over channels": Net(
        images("y = Softmax <axis: int = 1> (z)"), w=(4, 4, 3, 3)
    ),
    "Conv, then Softmax over columns": Net(
        images("y = Softmax <axis: int = 3> (z)"), w=(4, 4, 3, 3)
    ),
    "Conv, then Concat of channels": Net(
        images("y = Concat <axis: int = 1> (z, z)"), w=(4, 4, 3, 3)
    ),
    "Conv, then Concat of rows": Net(images("y = Concat <axis: int = 2> (z, x)"), w=(4, 4, 3, 3)),
    "Conv, then a row added": Net(images("y = Add (z, b)"), w=(4, 4, 3, 3), b=(11,)),
    "Conv, then a table added": Net(images("y = Add (z, b)"), w=(4, 4, 3, 3), b=(4, 9, 11)),
    "Conv, then a Transpose": Net(
        images("y = Transpose <perm: ints = [0, 2, 3, 1]> (z)"), w=(4, 4, 3, 3)
    ),
    "Conv, then rows of channels": Net(
        images("r = Reshape (z, s) y = Transpose <perm: ints = [0, 2, 1]> (r)", ROW),
        w=(4, 4, 3, 3),
        s=np.array([1, 4, 99]),
    ),
    "Conv, then channels of rows": Net(
        images("y = Reshape (z, s)", ROW), w=(4, 4, 3, 3), s=np.array([1, 4, 99])
    ),
    "Conv, then ReduceMax over columns": Net(
        images("y = ReduceMax <keepdims: int = 0> (z, s)", ROW), w=(4, 4, 3, 3), s=np.array([3])
    ),
    "Conv, then ReduceMean over channels": Net(
        images("y = ReduceMean (z, s)"), w=(4, 4, 3, 3), s=np.array([1])
    ),
    "Conv, then Slice of channels": Net(
        images("y = Slice (z, i, j, k)"),
        w=(4, 4, 3, 3),
        i=np.array([1]),
        j=np.array([3]),
        k=np.array([1]),
    ),
    "Conv, then Split of channels": Net(
        images("p, q = Split <axis: int = 1, num_outputs: int = 2> (z) y = Mul (p, q)"),
        w=(4, 4, 3, 3),
    ),
    "Conv, then MatMul of planes": Net(
        images("t = Transpose <perm: ints = [0, 1, 3, 2]> (z) y = MatMul (z, t)"), w=(4, 4, 3, 3)
    ),
}

NETS |= element_nets.NETS | index_nets.NETS | signal_nets.NETS | table_nets.TABLES
