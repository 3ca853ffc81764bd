"""Fourier transforms as the tables of several targets read them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

from modeldocs.generators import syntax
from modeldocs.generators.site import Site


@dataclass(frozen=True)
class Transform:
    """What a DFT is set to; `length` is None where it is that of the signal."""

    axis: int
    length: int | None
    is_inverse: bool
    is_onesided: bool
    is_real: bool
    """Whether the signal has no imaginary part."""


def transform(site: Site) -> Transform:
    """What a DFT is set to.

    Raises:
        NoProgramError: its axis or its length is computed, or it turns half a spectrum back.
    """
    shape = site.shape(0)
    axis, length = site.number(2), site.number(1)
    if (axis is None and site.has(2)) or (length is None and site.has(1)):
        raise site.unsupported("its axis or its length is computed")
    place = int(axis if axis is not None else -2) % len(shape)
    own = Transform(
        axis=place,
        length=None if length is None or length == shape[place] else int(length),
        is_inverse=bool(site.layer.number("inverse", 0)),
        is_onesided=bool(site.layer.number("onesided", 0)),
        is_real=shape[-1] == 1,
    )
    if own.is_onesided and (own.is_inverse or not own.is_real):
        raise site.unsupported("it makes half a spectrum of no real signal")
    return own


@dataclass(frozen=True)
class Frames:
    """What an STFT is set to: frames of `length`, one each `step`."""

    step: int
    length: int
    is_onesided: bool


def frames(site: Site) -> Frames:
    """What an STFT is set to.

    Raises:
        NoProgramError: a size is computed, the signal is complex, or the window is another one.
    """
    shape, step, length = site.shape(0), site.number(1), site.number(3)
    window = site.shape(2) if site.has(2) else None
    if step is None or (site.has(3) and length is None):
        raise site.unsupported("the sizes of its frames are computed")
    if length is None and window is None:
        raise site.unsupported("the length of its frames is not given")
    if len(shape) == 3 and shape[2] != 1:
        raise site.unsupported("its signal is complex")
    size = int(length) if length is not None else (window or (0,))[0]
    if window is not None and window[0] != size:
        raise site.unsupported("its window is shorter than its frames")
    return Frames(int(step), size, bool(site.layer.number("onesided", 1)))


_WINDOWS = {"hann": np.hanning, "hamming": np.hamming}


def window(site: Site, periodic: str, symmetric: str) -> ast.expr:
    """The window of an STFT: a Hann or a Hamming window as a call, others as they are.

    The templates have `WORD` for `hann` or `hamming`, `WORDing` for `hanning` or `hamming`, and the
    variables `length` and `longer`, which is one more.
    """
    array = site.array(2)
    size = 0 if array is None else array.size
    for word, made in _WINDOWS.items():
        for template, known in ((periodic, made(size + 1)[:-1]), (symmetric, made(size))):
            if array is not None and np.abs(known - array).max() <= 1e-6:
                code = template.replace("WORDing", made.__name__).replace("WORD", word)
                return syntax.expression(code, length=size, longer=size + 1)
    return site.operand(2)
