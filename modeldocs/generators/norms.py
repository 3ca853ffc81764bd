"""A tensor divided by its norm, as targets write it that have no layer for it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from modeldocs.generators import syntax
from modeldocs.generators.site import Lowering, Site


@dataclass(frozen=True)
class NormTemplates:
    """What a target writes for the steps of a norm: Python code of the variables that it names."""

    square_sum: str
    """The sum of the squares of `x` along `axis`, which is kept."""
    sum: str
    """The sum of the magnitudes of `x` along `axis`, which is kept."""
    root: str
    """The square root of `x`."""
    maximum: str
    """`x`, or `least` where that is larger."""


def lp_normalization(templates: NormTemplates) -> Lowering:
    """A tensor divided by its norm along an axis, with the layer's epsilon."""

    def lowering(site: Site) -> ast.expr:
        is_square = int(site.layer.number("p", 2)) == 2
        axis = site.place(int(site.layer.number("axis", -1)))
        epsilon = site.layer.number("epsilon", 0.0)
        mode = site.attributes.get("epsilon_mode", "")
        norm = syntax.expression(
            templates.square_sum if is_square else templates.sum,
            x=site.data(),
            axis=-1 if axis == len(site.shape(0)) - 1 else axis,
        )
        is_beside = epsilon == 0 or mode in ("minimum", "added")
        if not is_beside:
            norm = syntax.expression("norm + epsilon", norm=norm, epsilon=epsilon**2)
        if is_square:
            norm = syntax.expression(templates.root, x=norm)
        if epsilon and mode == "added":
            norm = syntax.expression("norm + epsilon", norm=norm, epsilon=epsilon)
        elif epsilon and is_beside:
            norm = syntax.expression(templates.maximum, x=norm, least=epsilon)
        return syntax.expression("x / norm", x=site.data(), norm=norm)

    return lowering
