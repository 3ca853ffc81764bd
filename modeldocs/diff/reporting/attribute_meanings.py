"""What a change of an attribute means for a person who ports the model."""

from __future__ import annotations

import math
from typing import Any, Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.settings import ORDER
from modeldocs.diff.function.attributes import TRAINING

_EPSILON: Final = "Added to the variance before the root is taken: negligible unless one is small."
_ALPHA: Final = (
    "Alpha is told here as it is divided by the size of the window: TensorFlow, which does not"
    " divide, wants alpha / size."
)
_NORM_EPSILON: Final = (
    "Keeps the division from zero: it matters for vectors that are nearly zero alone."
)
_EPSILON_MODES: Final = {
    None: "adds the square of epsilon to the sum of squares",
    "added": "adds epsilon to the length",
    "minimum": "takes epsilon for the least length",
}
_COMPUTES: Final = {
    "strides": "The windows step differently, so the output has another size.",
    "dilations": "The kernel reaches over another area with the same weights.",
    "kernel_shape": "Each output sees another area of the input; where the pads differ along with"
    " it, the output keeps its size.",
    "group": "Outputs of a group see the inputs of their group alone.",
    "axis": "The layer works along another axis.",
    "axes": "The layer works along other axes.",
    "approximate": "GELU by the error function against its tanh approximation: at most"
    " 4.7e-4 apart, near x = 2.7; enough to fail a strict tolerance in a deep network.",
    "ceil_mode": "Rounding the output's size up adds a row and a column of windows that hang"
    " over the edge.",
    "count_include_pad": "Means at the border divide by the whole window where padding counts,"
    " by the pixels inside where it does not: the border differs, the middle does not.",
    "alpha": "Scales what the layer computes for every input.",
    "beta": "Changes the curve of what the layer computes for every input.",
    "bias": "A constant is added to every output on one side.",
    "scale": "Every output is multiplied by a constant on one side.",
    "size": "Each channel is normalised by another number of neighbours.",
    "dtype": "The numbers are of another type, with another range and precision.",
    "indices": "Constants that choose elements differ.",
    ORDER: "The elements arrive in another order: what follows sees them permuted.",
}
_SPELLING: Final = {
    "padding": "Each source names its padding in its own words: SAME, VALID, ceil (rounded up), or"
    " numbers. The windows lie on the same pixels.",
    "pads": "Padding at the end and rounding up make the same windows here.",
    "ceil_mode": "Nothing is left over to round here: the windows are the same.",
    "count_include_pad": "No window meets any padding here: the means are the same.",
    "bias": "A bias of zeros adds nothing.",
    "scale": "A scale of ones changes nothing.",
    "dtype": "Whole numbers of another width, with the same values.",
    "indices": "The same values, in whole numbers of another width.",
    ORDER: "The same elements in another order, which the layer's weights make up for: permute"
    " them when they are carried over.",
}


def sentence(finding: Finding) -> str | None:
    """What it means that an attribute differs; None where only its consequence is known."""
    name = finding.attribute or ""
    if name in TRAINING:
        return "It matters while training only."
    if finding.consequence == "spelling":
        return _SPELLING.get(name)
    if name == "epsilon_mode":
        ours, theirs = (_EPSILON_MODES.get(mode) for mode in (finding.before, finding.after))
        return f"A {ours}, B {theirs}: it matters for vectors that are nearly zero alone."
    if name == "epsilon":
        return _epsilon(finding)
    if name == "alpha" and finding.operator == "LRN":
        return _ALPHA
    if name == "pads":
        return _pads(finding.before, finding.after)
    return _COMPUTES.get(name)


def _epsilon(finding: Finding) -> str:
    """How far two epsilons make outputs differ, for a variance of one and for a small one."""
    if finding.operator == "LpNormalization":
        return _NORM_EPSILON
    values_given = finding.before, finding.after
    if not all(isinstance(value, int | float) and value >= 0 for value in values_given):
        return _EPSILON
    one, small = (_apart(variance, *values_given) for variance in (1, 1e-4))
    return f"{_EPSILON} {one:.1g} apart where the variance is 1, {small:.1g} where it is 1e-4."


def _apart(variance: float, before: float, after: float) -> float:
    """The relative difference of two norms by their epsilons."""
    return 1 - math.sqrt((variance + min(before, after)) / (variance + max(before, after)))


def _pads(before: Any, after: Any) -> str:
    """The distance of the first window of B from that of A."""
    ours, theirs = (tuple(x for x in told or () if isinstance(x, int)) for told in (before, after))
    rank = len(ours) // 2
    if not rank or len(ours) != len(theirs):
        return "The windows lie elsewhere on the input."
    shifts = {x - y for x, y in zip(ours[:rank], theirs[:rank], strict=True)}
    if shifts == {0}:
        return "The windows lie the same but for the last row and column, which see other padding."
    shift = min(shifts)
    if len(shifts) > 1:
        return "The windows lie elsewhere on the input."
    pixels = "one pixel" if abs(shift) == 1 else f"{abs(shift)} pixels"
    where = "further down and right" if shift > 0 else "further up and left"
    return f"B's windows lie {pixels} {where}: even where the sizes are equal, the numbers are not."
