"""Images sampled at the places of a grid, as the tables of several targets read them."""

from __future__ import annotations

from dataclasses import dataclass

from modeldocs.generators.site import Site

_MODES = {"bilinear": "linear", "bicubic": "cubic"}
"""What ONNX called its modes."""


@dataclass(frozen=True)
class Sampling:
    """What a GridSample is set to."""

    mode: str
    padding: str
    is_aligned: bool


def sampling(site: Site) -> Sampling:
    """What a GridSample is set to."""
    mode = str(site.attributes.get("mode", "linear"))
    return Sampling(
        _MODES.get(mode, mode),
        str(site.attributes.get("padding_mode", "zeros")),
        bool(site.layer.number("align_corners", 0)),
    )


def by_function(site: Site, title: str) -> dict[str, object]:
    """The settings of a program's function `grid_sample`.

    Raises:
        NoProgramError: it has none for them.
    """
    own = sampling(site)
    if len(site.shape(0)) != 4 or own.mode == "cubic" or own.padding == "reflection":
        raise site.unsupported(
            f"{title} has no function that samples {len(site.shape(0)) - 2}-dimensional images "
            f"by {own.mode} interpolation with padding {own.padding}"
        )
    return {"mode": own.mode, "align_corners": own.is_aligned, "padding": own.padding}
