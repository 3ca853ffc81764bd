"""The meaning of fused and decomposed layers for a person who ports the model."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.reporting.phrases import parts


def sentence(finding: Finding) -> str:
    """The meaning of layers that are decomposed in one graph and fused in the other."""
    pieces, whole, sides = parts(finding)
    if finding.consequence == "computes":
        return _ZEROS_IN_MAXIMUM if "MaxPool" in whole.operators else _ZEROS_IN_MEAN
    if finding.consequence == "parameters":
        return _folded(pieces, whole, sides[0], sides[1])
    if pieces.relation in ("before", "after"):
        return "The same values: the activation is applied to each element, before or after."
    return "The same function in other layers: the weights fit."


_ZEROS_IN_MAXIMUM: Final = (
    "Explicit zeros take part in the maximum, the pooling's own padding does not: the results"
    " differ where a window at the border contains negative values only."
)
_ZEROS_IN_MEAN: Final = (
    "Explicit zeros count in the means at the border, the pooling's own padding does not."
)


def _folded(pieces: FusedGroup, whole: FusedGroup, apart: str, fused: str) -> str:
    """The meaning of layers of one graph that the other has folded into weights, or lacks."""
    norm = "the norm" if "BatchNormalization" in pieces.operators else "what follows it"
    layer = whole.operators[0]
    if whole.bias is False:
        return (
            f"{fused}'s {layer} has no bias: its weights can contain the scale of {norm}, not its"
            " shift. The two agree only where the shift is zero."
        )
    if whole.bias:
        return (
            f"Either {fused}'s weights contain {norm} of {apart}, folded in for inference, and both"
            f" are the same function; or {fused} never had it, and was trained without."
        )
    return (
        "At inference a norm is a scale and a shift of each channel: the same function once its"
        f" statistics are folded into those of {apart}."
    )
