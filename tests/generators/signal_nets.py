"""Small nets of cumulative sums, remainders, and Fourier transforms."""

from __future__ import annotations

import numpy as np

from ..normal.nets import Net

ROWS = "float[2,5,6] x"
FOUR = "float[?,?,?,?] y"


def several(body: str, given: str = ROWS, out: str = "float[?,?,?] y") -> str:
    """The text of a net of several layers."""
    return f"agraph ({given}) => ({out}) {{ {body} }}"


SUMS = {
    "CumSum": Net(several("y = CumSum (x, a)"), a=np.array([-2])),
    "CumSum, exclusive": Net(several("y = CumSum <exclusive: int = 1> (x, a)"), a=np.array(1)),
    "CumSum, reverse": Net(several("y = CumSum <reverse: int = 1> (x, a)"), a=np.array(-1)),
    "CumSum, exclusive and reverse": Net(
        several("y = CumSum <reverse: int = 1, exclusive: int = 1> (x, a)"), a=np.array(2)
    ),
    "CumSum of integers, exclusive": Net(
        several(
            "i = ArgMax <axis: int = 2> (x) y = CumSum <exclusive: int = 1> (i, a)",
            out="int64[?,?,?] y",
        ),
        a=np.array(1),
    ),
    "CumSum of images, exclusive": Net(
        several("z = Conv (x, w) y = CumSum <exclusive: int = 1> (z, a)", "float[1,4,5,6] x", FOUR),
        w=(4, 4, 3, 3),
        a=np.array(1),
    ),
    "Mod, as in C": Net(several("y = Mod <fmod: int = 1> (x, b)"), b=np.float32(0.7)),
    "ReduceProd of several axes": Net(several("y = ReduceProd (x, a)"), a=np.array([0, 1])),
    "ReduceSum of no axes": Net(
        several("y = ReduceSum <noop_with_empty_axes: int = 1> (x, a)"), a=np.array([], np.int64)
    ),
}

SPLIT = "u = Unsqueeze (x, o) "
LAST = np.array([3])
WAVE, STEP = "float[2,60] x", np.array(4)
PAIR = "float[3,5,2] x"


def stft(window: np.ndarray) -> Net:
    """The net of an STFT with a window."""
    return Net(several("y = STFT (x, s, w)", WAVE, FOUR), s=STEP, w=window.astype(np.float32))


SPECTRA = {
    "DFT": Net(several(f"{SPLIT} y = DFT (u, , a)", out=FOUR), o=LAST, a=np.array(2)),
    "DFT of half": Net(
        several(f"{SPLIT} y = DFT <onesided: int = 1> (u, , a)", out=FOUR), o=LAST, a=np.array(-2)
    ),
    "DFT of an axis": Net(
        several(f"{SPLIT} y = DFT <onesided: int = 1> (u, , a)", out=FOUR), o=LAST, a=np.array(1)
    ),
    "DFT of a length": Net(
        several(f"{SPLIT} y = DFT <onesided: int = 1> (u, n, a)", out=FOUR),
        o=LAST,
        a=np.array(2),
        n=np.array(8),
    ),
    "DFT of complex numbers": Net(several("y = DFT (x, , a)", PAIR), a=np.array(1)),
    "DFT, inverse": Net(several("y = DFT <inverse: int = 1> (x, , a)", PAIR), a=np.array(1)),
    "STFT": stft(np.bartlett(16)),
    "STFT, Hann": stft(np.hanning(17)[:-1]),
    "STFT, symmetric Hamming": stft(np.hamming(16)),
    "STFT of an axis more": Net(
        several("u = Unsqueeze (x, o) y = STFT (u, s, w)", WAVE, FOUR),
        o=np.array([2]),
        s=STEP,
        w=np.hanning(16).astype(np.float32),
    ),
}

NETS = SUMS | SPECTRA
