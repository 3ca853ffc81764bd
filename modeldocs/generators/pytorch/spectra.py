"""Fourier transforms in PyTorch."""

from __future__ import annotations

import ast

from modeldocs.generators import spectra, syntax
from modeldocs.generators.lowered import TensorForm
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call, method
from modeldocs.ir import Transpose

_WINDOWS = ("torch.WORD_window(length)", "torch.WORD_window(length, periodic=False)")


def dft(site: Site) -> ast.expr:
    """`torch.fft.fft` and its kin, with real and imaginary parts along the last axis."""
    own = spectra.transform(site)
    if own.is_real:
        signal = _real(site)
    else:
        signal = syntax.expression("torch.complex(x[..., 0], x[..., 1])", x=site.data())
    name = "rfft" if own.is_onesided else "ifft" if own.is_inverse else "fft"
    settings = {} if own.length is None else {"n": own.length}
    result = call(f"torch.fft.{name}", signal, **settings, dim=own.axis)
    return call("torch.view_as_real", result)


def stft(site: Site) -> ast.expr:
    """`torch.stft`, which has frames last."""
    own = spectra.frames(site)
    signal = site.data() if len(site.shape(0)) == 2 else _real(site)
    if site.has(2):
        window = spectra.window(site, *_WINDOWS)
    else:
        window = call("torch.ones", syntax.literal(own.length))
    result = call(
        "torch.stft",
        signal,
        n_fft=own.length,
        hop_length=own.step,
        window=window,
        center=False,
        **({} if own.is_onesided else {"onesided": False}),
        return_complex=True,
    )
    batch, count, bins, parts = (int(one or 1) for one in site.layer.outputs[0].shape or ())
    site.gives((0, TensorForm((batch, bins, count, parts), (Transpose((0, 2, 1, 3)),))))
    return call("torch.view_as_real", result)


def _real(site: Site) -> ast.expr:
    """A signal without the axis of its parts."""
    return site.without_axis(-1) or method(site.data(), "squeeze", -1)


TABLE: dict[str, Lowering] = {"DFT": dft, "STFT": stft}
