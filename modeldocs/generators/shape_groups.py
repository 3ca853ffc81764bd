"""A reshape as groups of axes, each of which keeps its elements."""

from __future__ import annotations

from modeldocs.ir import Shape

Group = tuple[tuple[int, ...], tuple[int, ...]]
"""The sizes of neighbouring axes before and after a reshape; their products are equal."""


def shape_groups(before: Shape, after: Shape) -> list[Group] | None:
    """The smallest groups of axes that a reshape keeps together, in order.

    Axes of size 1 that go are flattened into the axis before them, but for the first; others that
    come or go are groups of their own. None where a size is unknown.
    """
    old = [dim for dim in before if isinstance(dim, int)]
    new = [dim for dim in after if isinstance(dim, int)]
    if len(old) < len(before) or len(new) < len(after):
        return None
    groups: list[Group] = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            groups.append(((old[i],), (new[j],)))
            i, j = i + 1, j + 1
        elif i < len(old) and old[i] == 1:
            if len(groups) > 1 and len(groups[-1][1]) == 1:
                groups[-1] = ((*groups[-1][0], 1), groups[-1][1])
            else:
                groups.append(((1,), ()))
            i += 1
        elif j < len(new) and new[j] == 1:
            groups.append(((), (1,)))
            j += 1
        elif i == len(old) or j == len(new):
            return None
        else:
            ends = _equal_products(old[i:], new[j:])
            if ends is None:
                return None
            groups.append((tuple(old[i : i + ends[0]]), tuple(new[j : j + ends[1]])))
            i, j = i + ends[0], j + ends[1]
    return groups


def _equal_products(old: list[int], new: list[int]) -> tuple[int, int] | None:
    """The fewest leading sizes of both whose products are equal; None where none are."""
    i = j = 1
    left, right = old[0], new[0]
    while left != right:
        if left < right:
            if i == len(old):
                return None
            left *= old[i]
            i += 1
        else:
            if j == len(new):
                return None
            right *= new[j]
            j += 1
    return i, j
