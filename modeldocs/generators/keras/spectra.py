"""Fourier transforms in Keras, which gives real and imaginary parts as two tensors."""

from __future__ import annotations

import ast

from modeldocs.generators import spectra, syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call

_WINDOWS = ("ops.WORDing(longer)[:-1]", "ops.WORDing(length)")


def dft(site: Site) -> ast.expr:
    """`ops.fft` or `ops.rfft` along the last axis of a signal."""
    own = spectra.transform(site)
    if own.axis != len(site.shape(0)) - 2:
        raise site.unsupported("Keras transforms the last axis of a signal alone")
    if own.is_onesided:
        settings = {} if own.length is None else {"fft_length": own.length}
        return _parts(call("ops.rfft", _squeezed(site), **settings))
    if own.is_inverse or own.length is not None:
        raise site.unsupported("Keras has no inverse transform, and none of another length")
    if own.is_real:
        template = "ops.fft((x, ops.zeros_like(x)))"
        return _parts(syntax.expression(template, x=_squeezed(site)))
    return _parts(syntax.expression("ops.fft((x[..., 0], x[..., 1]))", x=site.data()))


def stft(site: Site) -> ast.expr:
    """`ops.stft`."""
    own = spectra.frames(site)
    if not own.is_onesided:
        raise site.unsupported("Keras has half of a spectrum alone")
    signal = site.data() if len(site.shape(0)) == 2 else _squeezed(site)
    result = call(
        "ops.stft",
        signal,
        sequence_length=own.length,
        sequence_stride=own.step,
        fft_length=own.length,
        window=spectra.window(site, *_WINDOWS) if site.has(2) else None,
        center=False,
    )
    return _parts(result)


def _squeezed(site: Site) -> ast.expr:
    return site.without_axis(-1) or call("ops.squeeze", site.data(), syntax.literal(-1))


def _parts(pair: ast.expr) -> ast.expr:
    return call("ops.stack", pair, axis=-1)


TABLE: dict[str, Lowering] = {"DFT": dft, "STFT": stft}
