"""How alike two layers are by themselves: attributes, parameters, the shape of the weight."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.function.forms import Form


def fit(a: Form, b: Form) -> float:
    """Share of equal sizes in the shapes of two weights; 1 where there are none."""
    if a is b:
        return 1.0
    ours, theirs = dict(a.parameters).get("weight", ()), dict(b.parameters).get("weight", ())
    if len(ours) != len(theirs):
        return 0.0
    return sum(map(int.__eq__, ours, theirs)) / len(ours) if ours else 1.0


WEIGHT: Final = 3.0
"""What equal weights count against one equal colour."""


def agreement(a: Form, b: Form) -> float:
    """Share of attributes and parameter shapes on which two forms agree."""
    if a is b or (a.attributes == b.attributes and a.parameters == b.parameters):
        return 1.0
    ours, theirs = {*a.attributes, *a.parameters}, {*b.attributes, *b.parameters}
    return len(ours & theirs) / len(ours | theirs)
