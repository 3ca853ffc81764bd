"""Resampling of images for libraries with NumPy's interface, whose own functions lack settings."""

from __future__ import annotations

import ast
from typing import Final

from modeldocs.generators import syntax
from modeldocs.generators.site import Site

_HELPER: Final = '''
def resampled(
    x: {tensor},
    size: tuple[int, ...],
    *,
    aligned: bool = False,
    cubic: float | None = None,
) -> {tensor}:
    """Resize images linearly, or by a cubic kernel of a coefficient, with edges repeated.

    With `aligned`, corners stay corners.
    """
    for axis, new in enumerate(size, start=1):
        old = x.shape[axis]
        places = {library}.arange(new, dtype="float32")
        if aligned:
            places = places * ((old - 1) / max(new - 1, 1))
        else:
            places = (places + 0.5) * (old / new) - 0.5
        read = {library}.arange(-2, old + 2, dtype="float32")
        d = {library}.abs({library}.expand_dims(places, 1) - read)
        if cubic is None:
            weights = {library}.maximum(1 - d, 0)
        else:
            near = ((cubic + 2) * d - (cubic + 3)) * d * d + 1
            far = cubic * (((d - 5) * d + 8) * d - 4)
            weights = {library}.where(d <= 1, near, {library}.where(d < 2, far, 0.0))
        rows = {library}.clip({library}.arange(-2, old + 2), 0, old - 1)
        x = {library}.tensordot(weights, {library}.take(x, rows, axis=axis), axes=[[1], [axis]])
        x = {library}.moveaxis(x, 0, axis)
    return x
'''


def helper(library: str, tensor: str) -> str:
    """The function of a program, for a library and its type of tensors."""
    return _HELPER.format(library=library, tensor=tensor).strip()


def resampled(site: Site, mode: str, where: str) -> ast.expr | None:
    """A Resize by that function; None where its kernel or its edges are others.

    Linear ones that align no corners are not: every library has them.
    """
    settings: dict[str, object] = {}
    if where == "align_corners":
        settings["aligned"] = True
    elif where not in ("half_pixel", "pytorch_half_pixel"):
        return None
    if mode == "cubic" and not site.layer.number("exclude_outside", 0):
        settings["cubic"] = site.layer.number("cubic_coeff_a", -0.75)
    elif mode != "linear" or not settings:
        return None
    size = tuple((site.layer.outputs[0].shape or ())[2:])
    return syntax.call("resampled", site.data(), syntax.literal(size), **settings)
