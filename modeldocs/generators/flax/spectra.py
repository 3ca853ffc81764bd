"""Fourier transforms in JAX."""

from __future__ import annotations

import ast

from modeldocs.generators import spectra, syntax
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call, method

_WINDOWS = ("jnp.WORDing(longer)[:-1]", "jnp.WORDing(length)")


def dft(site: Site) -> ast.expr:
    """`jnp.fft.fft` and its kin, with real and imaginary parts along the last axis."""
    own = spectra.transform(site)
    if own.is_real:
        signal = _real(site)
    else:
        signal = syntax.expression("jax.lax.complex(x[..., 0], x[..., 1])", x=site.data())
    name = "rfft" if own.is_onesided else "ifft" if own.is_inverse else "fft"
    settings = {} if own.length is None else {"n": own.length}
    return call("real_parts", call(f"jnp.fft.{name}", signal, **settings, axis=own.axis))


def stft(site: Site) -> ast.expr:
    """`jnp.fft.rfft` or `jnp.fft.fft` of windows of a signal."""
    own = spectra.frames(site)
    signal = site.data() if len(site.shape(0)) == 2 else _real(site)
    cut = call("frames", signal, length=own.length, step=own.step)
    if site.has(2):
        cut = syntax.expression("x * window", x=cut, window=spectra.window(site, *_WINDOWS))
    return call("real_parts", call(f"jnp.fft.{'rfft' if own.is_onesided else 'fft'}", cut))


def _real(site: Site) -> ast.expr:
    """A signal without the axis of its parts."""
    return site.without_axis(-1) or method(site.data(), "squeeze", -1)


TABLE: dict[str, Lowering] = {"DFT": dft, "STFT": stft}
