"""Attributes of other values."""

from __future__ import annotations

import math
from typing import Any, Final

from modeldocs import formatting
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.settings import FLATTENED, FOLLOWING, ORDER
from modeldocs.diff.diff import Change
from modeldocs.diff.function.attributes import TRAINING, changes_nothing, neutral_operands
from modeldocs.diff.reporting import kind_words, values
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import Group, layers, side, where
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.diff.reporting.values import Nodes
from modeldocs.ir import Constant, Layer, operators

_PROJECTIONS: Final = operators.named(projection=True)


def _title(group: Group, places: LayerPositions) -> str:
    first, place = group[0], layers(group, places)
    if first.attribute == "padding":
        return f"padding written differently ({_strategies(group)}) in {place}, to the same effect"
    if first.attribute == ORDER and _is_flattened(first):
        description = f"flattened channels last in {'A' if first.before else 'B'} before {place}"
        spelling = first.consequence == "spelling"
        return f"{description}: the weights are permuted" if spelling else description
    if first.consequence == "spelling" and _neutral(first):
        filled = "ones" if first.attribute == "scale" else "zeros"
        return f"{first.attribute} of {filled} only in {side(first)} in {place}"
    if first.attribute == "indices" and first.operator != "Gather":
        change = f"{first.before or 0} → {first.after or 0}"
        return f"first row read from a parameter {change} in {place}"
    return kind_words.title(group, places)


def _strategies(group: Group) -> str:
    ours, theirs = (
        ", ".join(sorted({strategy.casefold() if strategy else "numbers" for strategy in side}))
        for side in zip(*((f.before, f.after) for f in group), strict=True)
    )
    return f"{ours} → {theirs}" if ours != theirs else f"{ours}, with other numbers"


def _is_flattened(finding: Finding) -> bool:
    return finding.operator in _PROJECTIONS and (finding.before, finding.after) in FLATTENED


def _neutral(finding: Finding) -> bool:
    """Whether only one side has a constant, and that is the neutral element."""
    constant: Any = finding.before if finding.after is None else finding.after
    neutral = neutral_operands(finding.operator).get(finding.attribute or "")
    one_sided = finding.before is None or finding.after is None
    return one_sided and neutral is not None and changes_nothing(constant, neutral)


_EPSILON: Final = (
    "Added to the variance before the square root: negligible unless the variance is small."
)
_ALPHA: Final = (
    "Alpha as ONNX defines it, which divides it by the size of the window. TensorFlow does not"
    " divide, and takes alpha / size."
)
_NORM_EPSILON: Final = (
    "Prevents a division by zero: it matters only for vectors that are nearly zero."
)
_EPSILON_MODES: Final = {
    None: "adds the square of epsilon to the sum of squares",
    "added": "adds epsilon to the length",
    "minimum": "uses epsilon as the least length",
}
_ELSEWHERE: Final = "The windows are at other positions of the input."
_COMPUTES: Final = {
    "strides": "The windows move by another step, so the output has another size.",
    "dilations": "The kernel covers another area with the same weights.",
    "kernel_shape": "Each output is computed from another area of the input; if the pads differ"
    " accordingly, the output keeps its size.",
    "group": "The outputs of a group depend on the inputs of that group only.",
    "axis": "The layer works along another axis.",
    "axes": "The layer works along other axes.",
    "approximate": "GELU by the error function and its tanh approximation differ by at most"
    " 4.7e-4, near x = 2.7: enough to exceed a strict tolerance in a deep network.",
    "ceil_mode": "Rounding the output's size up adds a row and a column of windows that extend"
    " beyond the edge.",
    "count_include_pad": "Means at the border are divided by the size of the window if padding"
    " counts, else by the number of pixels inside: only the border differs.",
    "alpha": "Scales the output of the layer for every input.",
    "beta": "Changes the function of the layer for every input.",
    "bias": "A constant is added to every output on one side.",
    "scale": "Every output is multiplied by a constant on one side.",
    "size": "Each channel is normalised over another number of neighbours.",
    "dtype": "The numbers are of another type, with another range and precision.",
    "indices": "The constants that select elements differ.",
    ORDER: "The elements are read in another order: the layers after it see them permuted.",
}
_SPELLING: Final = {
    "padding": "Frameworks specify padding in different ways: SAME, VALID, ceil (rounded up), or"
    " numbers. The windows cover the same pixels.",
    "pads": "Padding at the end and rounding up give the same windows here.",
    "ceil_mode": "There is nothing to round here: the windows are the same.",
    "count_include_pad": "No window covers any padding here: the means are the same.",
    "bias": "A bias of zeros adds nothing.",
    "scale": "A scale of ones changes nothing.",
    "ratio": "It has an effect in training only.",
    "dtype": "Integers of another width, with the same values.",
    "indices": "The same values, as integers of another width.",
    ORDER: "The same elements in another order: permute the layer's weights accordingly when they"
    " are copied.",
}


def _meaning(finding: Finding) -> str | None:
    name = finding.attribute or ""
    if name in TRAINING:
        return "It has an effect in training only."
    if finding.consequence == "spelling":
        return _SPELLING.get(name)
    if name == "epsilon_mode":
        ours, theirs = (_EPSILON_MODES.get(mode) for mode in (finding.before, finding.after))
        return f"A {ours}, B {theirs}: it matters only for vectors that are nearly zero."
    if name == "epsilon":
        return _epsilon(finding)
    if name == "alpha" and finding.operator == "LRN":
        return _ALPHA
    if name == "pads" and finding.detail == FOLLOWING:
        return "They follow from the other size of the windows, whose centres are the same pixels."
    if name == "pads":
        return _pads(finding.before, finding.after)
    return _COMPUTES.get(name)


def _epsilon(finding: Finding) -> str:
    """The relative difference of outputs by two epsilons, for a variance of 1 and a small one."""
    if finding.operator == "LpNormalization":
        return _NORM_EPSILON
    epsilons = finding.before, finding.after
    if not all(isinstance(epsilon, int | float) and epsilon >= 0 for epsilon in epsilons):
        return _EPSILON
    usual, small = (_relative_difference(variance, *epsilons) for variance in (1, 1e-4))
    return (
        f"{_EPSILON} The relative difference is {formatting.error(usual)} for a variance of 1,"
        f" {formatting.error(small)} for one of 1e-4."
    )


def _relative_difference(variance: float, before: float, after: float) -> float:
    """The relative difference of two norms by their epsilons."""
    return 1 - math.sqrt((variance + min(before, after)) / (variance + max(before, after)))


def _pads(before: Any, after: Any) -> str:
    """The position of B's windows relative to A's."""
    ours, theirs = (
        tuple(size for size in pads or () if isinstance(size, int)) for pads in (before, after)
    )
    rank = len(ours) // 2
    if not rank or len(ours) != len(theirs):
        return _ELSEWHERE
    shifts = {x - y for x, y in zip(ours[:rank], theirs[:rank], strict=True)}
    if shifts == {0}:
        return (
            "The windows have the same positions; only the last row and column see other padding."
        )
    shift = min(shifts)
    if len(shifts) > 1:
        return _ELSEWHERE
    pixels = "one pixel" if abs(shift) == 1 else f"{abs(shift)} pixels"
    where = "further down and right" if shift > 0 else "further up and left"
    return f"B's windows are {pixels} {where}: even where the sizes are equal, the values are not."


_NAMES: Final = {
    "kernel_shape": "kernel",
    "strides": "stride",
    "dilations": "dilation",
    "group": "groups",
}
"""Names of attributes in plain words."""

_SWITCHES: Final = {
    "count_include_pad": ("padding not counted", "padding counted"),
    "ceil_mode": ("sizes rounded down", "sizes rounded up"),
}
"""What attributes say that are 0 or 1."""


def _phrase(change: Change) -> str:
    name, value = change.attribute or "setting", change.after
    if name == "epsilon":
        place = "" if change.operator == "BatchNormalization" else f" in {change.operator}"
        return f"ε {formatting.setting(value)}{place}"
    if name in _SWITCHES:
        return f"{_SWITCHES[name][bool(value)]} {where(change)}"
    if name not in _NAMES and not name.isidentifier():  # not one setting: `order of axes`
        return f"another {name} {where(change)}"
    if value is None or value == []:
        return f"no {_NAMES.get(name, name)} {where(change)}"
    return f"{_NAMES.get(name, name)} {_value(name, value)} {where(change)}"


def _value(name: str, value: Any) -> str:
    if isinstance(value, Constant | dict):
        return "of other values"
    if name == "pads" and isinstance(value, list | tuple):
        return formatting.one_or_all(value, ",")
    if isinstance(value, list | tuple) and value and all(one == value[0] for one in value):
        return formatting.setting(value if name == "kernel_shape" else value[0])
    return formatting.setting(value)


def _row(change: Change, a: Nodes, b: Nodes) -> str:
    if change.attribute != "padding":
        return values.both(change)
    ours, theirs = (
        (nodes[0].padding if isinstance(nodes[0], Layer) else None) or "explicit"
        for nodes in (a, b)
    )
    return f"padding {ours} → {theirs}" if ours != theirs else "padding by other explicit pads"


WORDS: Final = KindWords(title=_title, meaning=_meaning, phrase=_phrase, row=_row)
