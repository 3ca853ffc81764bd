"""What a change means for a person who ports the model: one sentence a line."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.layouts import LAYOUT
from modeldocs.diff.changes.parameters import SHARING
from modeldocs.diff.changes.settings import ALONG_AN_AXIS, ORDER
from modeldocs.diff.function.attributes import TRAINING
from modeldocs.diff.words import values
from modeldocs.operators import family

Group = Sequence[Finding]

_CONSEQUENCES: Final = {
    "computes": "The two compute something else here, whatever the weights.",
    "shape": "Tensors have another shape from here on.",
    "parameters": "Another number of parameters is learned: weights do not fit one to one.",
    "order": "The same layer stands elsewhere, so the layers between see other numbers.",
    "spelling": "The same function, told differently: weights carry over.",
}

_EPSILON: Final = "Added to the variance before the root is taken: negligible unless one is small."
_ALPHA: Final = (
    "Alpha is told here as it is divided by the size of the window: TensorFlow, which does not"
    " divide, wants alpha / size."
)
_NORM_EPSILON: Final = (
    "Keeps the division from zero: it matters for vectors that are nearly zero alone."
)
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
    "padding": "The sources tell their padding in other words; the pads are equal.",
    "pads": "Padding at the end and rounding up make the same windows here.",
    "ceil_mode": "Nothing is left over to round here: the windows are the same.",
    "count_include_pad": "No window meets any padding here: the means are the same.",
    "bias": "A bias of zeros adds nothing.",
    "scale": "A scale of ones changes nothing.",
    "dtype": "Whole numbers of another width, with the same values.",
    "indices": "The same values, in whole numbers of another width.",
    LAYOUT: "The network wants its input in another layout: transpose what you feed it.",
    ORDER: "The same elements in another order, which the layer's weights make up for: permute"
    " them when they are carried over.",
}
_BIAS: Final = (
    "A bias is learned on one side alone; a normalisation behind it would take it away again."
)
_PARAMETERS: Final = {
    "bias": _BIAS,
    "scale": "One side learns a factor for each channel (gamma), the other keeps it at one:"
    " fill in ones to carry the weights over.",
    "weight": "Another number of channels: the weights do not fit.",
}


def sentence(group: Group) -> str:
    """What findings that are told alike mean."""
    return _SENTENCES.get(group[0].kind, _plain)(group[0])


def _plain(finding: Finding) -> str:
    return _CONSEQUENCES[finding.consequence]


def _attribute(finding: Finding) -> str:
    name = finding.attribute or ""
    if name in TRAINING:
        return "It matters while training only."
    if name == ORDER and finding.operator in ALONG_AN_AXIS and finding.consequence == "spelling":
        return "It works along the same axis of a tensor that one side has transposed."
    if finding.consequence == "spelling":
        return _SPELLING.get(name, _plain(finding))
    if name == "epsilon":
        return _epsilon(finding)
    if name == "alpha" and finding.operator == "LRN":
        return _ALPHA
    if name == "pads":
        return _pads(finding.before, finding.after)
    return _COMPUTES.get(name, _plain(finding))


def _epsilon(finding: Finding) -> str:
    """How far apart two epsilons lead, for a variance of one and for a small one."""
    if finding.operator == "LpNormalization":
        return _NORM_EPSILON
    values_given = finding.before, finding.after
    if not all(isinstance(value, int | float) and value >= 0 for value in values_given):
        return _EPSILON
    one, small = (_apart(variance, *values_given) for variance in (1, 1e-4))
    return f"{_EPSILON} {one:.0e} apart where the variance is 1, {small:.0e} where it is 1e-4."


def _apart(variance: float, before: float, after: float) -> float:
    """By what part of itself what a norm makes differs between two epsilons."""
    return abs(math.sqrt((variance + before) / (variance + after)) - 1)


def _pads(before: Any, after: Any) -> str:
    """How far the first window of B lies from A's."""
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


def _parameters(finding: Finding) -> str:
    name = finding.attribute or ""
    if name.endswith(SHARING):
        return "Layers share their parameters on one side alone."
    if finding.before in ("learned", "fixed"):
        return "Training changes it on one side alone; the function is the same."
    if name == "weight" or finding.before is None or finding.after is None:
        return _PARAMETERS.get(name, _plain(finding))
    return _plain(finding)


def _moved(finding: Finding) -> str:
    if finding.amount is not None:
        return (
            "The block shrinks at another layer: the sizes around it are equal, what the layers"
            " between see is not. Weights fit, but are not worth the same."
        )
    if finding.consequence == "spelling":
        return "It hands its input on at inference, wherever it stands."
    return _plain(finding)


def _one_sided(finding: Finding) -> str:
    operator = finding.operator
    if finding.consequence == "spelling":
        return "It hands its input on at inference."
    if finding.where == "at the end" and operator in ("Softmax", "LogSoftmax"):
        return "One network ends in probabilities (or their logarithms), the other in raw scores."
    side, other = ("A", "B") if finding.kind == "deleted" else ("B", "A")
    if family(operator) == "activation":
        return f"{other} goes on with the raw values where {side} bends them."
    return f"{other} has nothing in its place."


def _operator(finding: Finding) -> str:
    if finding.consequence == "spelling":
        return _plain(finding)
    if {finding.before, finding.after} == {"Softmax", "LogSoftmax"}:
        return "Probabilities against their logarithms: the order of the classes is the same."
    return "Another function in the same place."


def _rewired(finding: Finding) -> str:
    if finding.consequence == "spelling":
        return "The same outputs, in another order."
    if finding.operator == "output":
        return "The networks hand out other values."
    return "The same layer, fed with other values."


def _regrouped(finding: Finding) -> str:
    if finding.consequence == "spelling":
        return "The same function in other pieces: the weights carry over."
    if finding.consequence == "computes":
        return (
            "Zeros around the input are values to the pooling, its own padding is none: they"
            " differ wherever a window at the border sees negative numbers alone."
        )
    return (
        "The same function at inference once the weights are folded; another one in training,"
        " where the statistics still move."
    )


def _shape(finding: Finding) -> str:
    if finding.consequence == "spelling" and finding.attribute == LAYOUT:
        return _SPELLING[LAYOUT]
    if finding.consequence == "spelling":
        return "The shape is told otherwise: batch, names or sizes of one."
    if finding.operator == "input":
        return f"The network is fed with {values.shape(finding.after)} in B."
    return _plain(finding)


_SENTENCES: Final[dict[str, Callable[[Finding], str]]] = {
    "attribute": _attribute,
    "parameters": _parameters,
    "moved": _moved,
    "inserted": _one_sided,
    "deleted": _one_sided,
    "operator": _operator,
    "rewired": _rewired,
    "regrouped": _regrouped,
    "shape": _shape,
}
