"""Small nets of functions of elements, of reductions, and of layers of images."""

from __future__ import annotations

import numpy as np

from ..normal.nets import Net

IMAGE = "float[1,4,8,10] x"
FOUR = "float[?,?,?,?] y"


def one(operator: str, given: str = IMAGE, out: str = FOUR) -> str:
    """The text of a net of one layer."""
    return f"agraph ({given}) => ({out}) {{ y = {operator} }}"


def several(body: str, given: str = IMAGE, out: str = FOUR) -> str:
    """The text of a net of several layers."""
    return f"agraph ({given}) => ({out}) {{ {body} }}"


HALF = "h = Tanh (x) "
FLAGS = "bool[?,?,?,?] y"
INTS = "s = Mul (x, t) i = Cast <to: int = 6> (s) n = Neg (x) r = Mul (n, t) "
INTS += "j = Cast <to: int = 6> (r) "
TEN = np.float32(10)

FUNCTIONS = {
    **{name: Net(several(f"{HALF} y = {name} (h)")) for name in ("Acos", "Asin", "Atanh")},
    **{name: Net(one(f"{name} (x)")) for name in ("Asinh", "Cosh", "Sinh", "Tan")},
    "Acosh": Net(several("e = Exp (x) a = Add (e, o) y = Acosh (a)"), o=np.float32(1)),
    "IsNaN": Net(several("l = Sqrt (x) y = IsNaN (l)", out=FLAGS)),
    "IsInf": Net(several("r = Round (x) l = Reciprocal (r) y = IsInf (l)", out=FLAGS)),
    "IsInf, negative": Net(
        several(
            "r = Round (x) l = Reciprocal (r) y = IsInf <detect_positive: int = 0> (l)", out=FLAGS
        )
    ),
    "IsInf, positive": Net(
        several(
            "r = Round (x) l = Reciprocal (r) y = IsInf <detect_negative: int = 0> (l)", out=FLAGS
        )
    ),
    **{
        name: Net(several(f"{INTS} y = {name} (i, j)", out="int32[?,?,?,?] y"), t=TEN)
        for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")
    },
    "BitwiseNot": Net(several(f"{INTS} y = BitwiseNot (i)", out="int32[?,?,?,?] y"), t=TEN),
    "ThresholdedRelu": Net(one("ThresholdedRelu <alpha: float = 0.5> (x)")),
    "Shrink": Net(one("Shrink <lambd: float = 0.4> (x)")),
    "Shrink, soft": Net(one("Shrink <lambd: float = 0.4, bias: float = 0.4> (x)")),
    "Shrink, biased": Net(one("Shrink <lambd: float = 0.4, bias: float = 0.1> (x)")),
    "MeanVarianceNormalization": Net(one("MeanVarianceNormalization (x)")),
    "MeanVarianceNormalization after a Conv": Net(
        several("z = Conv (x, w) y = MeanVarianceNormalization <axes: ints = [1, 3]> (z)"),
        w=(4, 4, 3, 3),
    ),
    "ReduceSumSquare": Net(one("ReduceSumSquare (x, a)"), a=np.array([2, -1])),
    "ReduceSumSquare of all": Net(one("ReduceSumSquare <keepdims: int = 0> (x)", out="float y")),
    "ReduceLogSum": Net(several("e = Exp (x) y = ReduceLogSum (e, a)"), a=np.array([1])),
    "ReduceLogSumExp": Net(
        one("ReduceLogSumExp <keepdims: int = 0> (x, a)", out="float[?,?,?] y"),
        a=np.array([-2]),
    ),
    "ReduceLogSumExp after a Conv": Net(
        several("z = Conv (x, w) y = ReduceLogSumExp (z, a)"), w=(4, 4, 3, 3), a=np.array([1])
    ),
}

PLACES = "float[1,5,3,2] g"


def sample(settings: str) -> Net:
    """The net of a GridSample with these settings."""
    return Net(one(f"GridSample <{settings}> (x, g)", f"{IMAGE}, {PLACES}"))


LINEAR = 'mode: string = "linear"'

IMAGES = {
    "SpaceToDepth": Net(one("SpaceToDepth <blocksize: int = 2> (x)")),
    "SpaceToDepth of one channel": Net(
        one("SpaceToDepth <blocksize: int = 2> (x)", "float[2,1,8,10] x")
    ),
    "GridSample": sample(LINEAR),
    "GridSample, aligned": sample(f"{LINEAR}, align_corners: int = 1"),
    "GridSample, border": sample(f'{LINEAR}, padding_mode: string = "border"'),
    "GridSample, nearest": sample('mode: string = "nearest"'),
    "GridSample, nearest and border": sample(
        'mode: string = "nearest", padding_mode: string = "border", align_corners: int = 1'
    ),
    "GridSample of several, after a Conv": Net(
        several(
            'z = Conv (x, w) y = GridSample <mode: string = "linear"> (z, g)',
            "float[2,4,8,10] x, float[2,5,3,2] g",
        ),
        w=(4, 4, 3, 3),
    ),
    "GridSample at places of an AveragePool": Net(
        several(
            "p = AveragePool <kernel_shape: ints = [2, 2]> (g) "
            "t = Transpose <perm: ints = [0, 2, 3, 1]> (p) "
            'y = GridSample <mode: string = "linear"> (x, t)',
            f"{IMAGE}, float[1,2,5,6] g",
        )
    ),
    "LpPool": Net(one("LpPool <kernel_shape: ints = [3, 2], strides: ints = [2, 2]> (x)")),
    "LpPool of order 3": Net(
        one("LpPool <kernel_shape: ints = [2, 2], p: int = 3, pads: ints = [1, 0, 0, 1]> (x)")
    ),
    "LpPool of order 1": Net(
        one("LpPool <kernel_shape: ints = [3], p: int = 1> (x)", "float[1,4,9] x", "float[?,?,?] y")
    ),
    "GlobalLpPool": Net(one("GlobalLpPool (x)")),
    "GlobalLpPool of order 3": Net(one("GlobalLpPool <p: int = 3> (x)")),
}

IMAGES |= {
    "GridSample, cubic": sample('mode: string = "cubic"'),
    "GridSample, reflected": sample(f'{LINEAR}, padding_mode: string = "reflection"'),
}

DEPTHS = {
    "DepthToSpace, places first": Net(
        one("DepthToSpace <blocksize: int = 2> (x)", "float[1,8,3,5] x")
    ),
}

NETS = FUNCTIONS | IMAGES | DEPTHS
