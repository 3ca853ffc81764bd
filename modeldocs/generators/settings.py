"""What a layer is set to, as the tables of several targets read it."""

from __future__ import annotations

from dataclasses import dataclass

from modeldocs.generators.site import Site


def count_of_operands(site: Site) -> int:
    """How many operands a layer has, given or not."""
    return len(site.lowered.network.nodes[site.layer.id].inputs)


def bounds(site: Site) -> tuple[float | None, float | None]:
    """The least and the largest value of a Clip; None where there is none.

    Raises:
        NoProgramError: one is computed.
    """
    found: list[float | None] = []
    for slot, name in ((1, "min"), (2, "max")):
        number = site.number(slot)
        if number is None and site.has(slot):
            raise site.unsupported(f"its {name} is computed")
        found.append(number)
    return found[0], found[1]


def reduces_nothing(site: Site) -> bool:
    """Whether a reduction has no axes, and is told to be none then."""
    axes = site.integers(1) if site.has(1) else site.layer.sizes("axes")
    return bool(site.layer.number("noop_with_empty_axes", 0)) and axes is not None and not axes


def reduced_axes(site: Site) -> int | tuple[int, ...]:
    """The axes of a reduction as the program counts them: one as a number.

    Raises:
        NoProgramError: they are computed, or there are none.
    """
    axes = site.integers(1)
    axes = axes if axes is not None else site.layer.sizes("axes")
    if site.has(1) and site.array(1) is None:
        raise site.unsupported("the axes are computed")
    if reduces_nothing(site):
        raise site.unsupported("it reduces no axes")
    rank = len(site.shape(0))
    own = tuple(sorted(site.place(axis) for axis in axes or range(rank)))
    return own[0] if len(own) == 1 else own


@dataclass(frozen=True)
class Padding:
    """What a Pad adds before and after each axis of the program; `value` fills it."""

    by_axis: dict[int, tuple[int, int]]
    mode: str
    value: float

    @property
    def cuts(self) -> dict[int, slice]:
        """The slices of axes by which it cuts: amounts below 0."""
        return {
            axis: slice(-before if before < 0 else None, after if after < 0 else None)
            for axis, (before, after) in self.by_axis.items()
            if before < 0 or after < 0
        }

    def added(self, rank: int) -> list[tuple[int, int]]:
        """What it adds before and after each axis, without what it cuts."""
        both = [self.by_axis.get(axis, (0, 0)) for axis in range(rank)]
        return [(max(before, 0), max(after, 0)) for before, after in both]


def padding(site: Site) -> Padding:
    """What a Pad adds.

    Raises:
        NoProgramError: it is computed.
    """
    mode = str(site.attributes.get("mode", "constant"))
    pads = site.integers(1) or site.layer.sizes("pads")
    rank = len(site.shape(0))
    if not pads or (site.has(3) and site.array(3) is None):
        raise site.unsupported("its pads are computed")
    axes = [axis % rank for axis in site.integers(3) or range(rank)]
    by_axis = {site.place(axis): (pads[i], pads[i + len(axes)]) for i, axis in enumerate(axes)}
    return Padding(by_axis, mode, site.number(2) or 0.0)


def scale_factors(site: Site) -> list[float]:
    """The factors of a Resize along the spatial axes.

    Raises:
        NoProgramError: it resizes something else than images.
    """
    before, after = site.shape(0), site.layer.outputs[0].shape or ()
    is_known = all(isinstance(dim, int) for dim in after)
    if not is_known or before[:2] != after[:2]:
        raise site.unsupported("only images of known size are resized")
    return [new / old for old, new in zip(before[2:], after[2:], strict=True)]  # type: ignore[operator]
