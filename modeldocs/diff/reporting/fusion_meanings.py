"""What it means for a person who ports the model that layers are fused, or decomposed."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.composition import Composition
from modeldocs.diff.reporting.phrases import parts


def sentence(finding: Finding) -> str:
    """What it means that one graph has decomposed what the other has fused."""
    pieces, whole, sides = parts(finding)
    if finding.consequence == "computes":
        return _ZEROS["MaxPool" if "MaxPool" in whole.operators else "AveragePool"]
    if finding.consequence == "parameters":
        return _folded(pieces, whole, sides[0], sides[1])
    if pieces.relation in ("before", "behind"):
        return "The same numbers: the activation bends each of them alone, here or there."
    return "The same function in other pieces: the weights carry over."


_ZEROS: Final = {
    "MaxPool": "Zeros around the input are values to the pooling, its own padding is none: they"
    " differ wherever a window at the border sees negative numbers alone.",
    "AveragePool": "Zeros around the input count in the means at the border, the pooling's own"
    " padding does not.",
}


def _folded(pieces: Composition, whole: Composition, apart: str, fused: str) -> str:
    """What it means that layers of one graph are folded into weights of the other, or gone."""
    norm = "the norm" if "BatchNormalization" in pieces.operators else "what stands behind it"
    layer = whole.operators[0]
    if whole.bias is False:
        return (
            f"{fused}'s {layer} has no bias: it holds what {norm} multiplies by, not what it adds."
            " The two agree only where it adds nothing."
        )
    if whole.bias:
        return (
            f"Either {fused}'s weights hold {norm} of {apart}, folded in for inference, where both"
            f" are the same function; or {fused} never had one, and was trained without."
        )
    return (
        "At inference a norm is a factor and a shift a channel: the same function once its"
        f" statistics are folded into the two of {apart}."
    )
