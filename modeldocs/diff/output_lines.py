"""Lines for outputs that are returned in another order or form, or with other numbers."""

from __future__ import annotations

from modeldocs import formatting
from modeldocs.diff.diff import Change
from modeldocs.diff.parity import Direction, Parity, Returned


def lines(parity: Parity) -> list[Change]:
    """Lines for outputs that the networks return in another order or form, or otherwise although
    nothing else that is listed says why.
    """
    direction = max(parity.directions, key=lambda one: one.returns == "form")
    lines = [_order(direction)] if direction.reordered else []
    lines += [change for one in direction.returned if (change := _form(one)) is not None]
    if not any(one.divergences or one.acting for one in parity.directions):
        lines += [change for one in direction.returned if (change := _other(one)) is not None]
    return lines


def _order(direction: Direction) -> Change:
    both = [one for one in direction.returned if one.relation != "missing"]
    ours = sorted(both, key=lambda one: one.places[0])
    theirs = sorted(both, key=lambda one: one.places[1])
    before, after = (", ".join(one.a for one in side) for side in (ours, theirs))
    title = f"outputs returned in another order: {before} → {after}"
    return _output("order", title, "A caller that takes them by their place gets others.")


def _form(one: Returned) -> Change | None:
    """The line of an output of equal numbers in another form; None where it has the same."""
    shapes = [formatting.shape_of(shape) for shape in one.shapes]
    if one.relation == "type":
        title = f"output {one.a} returned as {one.types[1]} in place of {one.types[0]}"
        return _output("order", title, "Its numbers are equal.")
    if one.relation == "reshaped":
        title = f"output {one.a} returned as {shapes[1]} in place of {shapes[0]}"
        return _output("order", title, "Its numbers are equal, in the same order.")
    if one.relation == "transposed":
        change = " → ".join(shapes)
        title = f"output {one.a} returned with its axes in another order ({change})"
        return _output("order", title, "Its numbers are equal, in another order.")
    return None


def _other(one: Returned) -> Change | None:
    """The line of an output of other numbers or of another size."""
    text = "All layers before it compute the same: what leads from them to the output does not."
    if one.relation == "shape":
        shapes = [formatting.shape_of(shape) for shape in one.shapes]
        title = f"output {one.a} returned as {shapes[1]} in place of {shapes[0]}"
        return _output("shape", title, text)
    if one.relation == "apart":
        return _output("computes", f"output {one.a} returned with other numbers", text)
    return None


def _output(consequence: str, title: str, text: str) -> Change:
    return Change(
        kind="output",
        consequence=consequence,
        title=title,
        text=text,
        pairs=(),
        operator="output",
    )
