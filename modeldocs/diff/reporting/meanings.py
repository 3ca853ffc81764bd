"""The meaning of a change for a person who ports the model, in one or two sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from modeldocs import formatting
from modeldocs.diff.changes.attribute_deltas import FOLLOWS
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.findings import TURNED
from modeldocs.diff.changes.input_roles import INPUTS
from modeldocs.diff.changes.layouts import LAYOUT
from modeldocs.diff.changes.parameters import is_sharing
from modeldocs.diff.changes.part_orders import PARTS
from modeldocs.diff.changes.position import END, UNREAD
from modeldocs.diff.changes.projection_names import ROLES
from modeldocs.diff.changes.shape_propagation import LAID_OUT
from modeldocs.diff.changes.unmatched_layers import PREPROCESSING
from modeldocs.diff.reporting import attribute_meanings, fusion_meanings
from modeldocs.ir.operators import family

Group = Sequence[Finding]

_CONSEQUENCES: Final = {
    "computes": "The layers compute different functions, whatever the weights.",
    "shape": "Tensors have different shapes from here on.",
    "parameters": "The numbers of trainable parameters differ: the weights do not fit one to one.",
    "order": "The same layer at another place: the layers in between read different values.",
    "spelling": "The same function, written differently: the weights fit.",
}

_LAYOUTS: Final = {
    "input": "The network expects its input in another layout: transpose the input.",
    "output": "The network returns its output in another layout: transpose the output.",
}
_PARAMETERS: Final = {
    "scale": "One side learns a factor for each channel (gamma), the other has none: fill in ones"
    " to copy the weights.",
    "weight": "The numbers of channels differ: the weights do not fit.",
}


def sentence(group: Group) -> str:
    """The meaning of the findings that make one change."""
    return _SENTENCES.get(group[0].kind, _plain)(group[0])


def _plain(finding: Finding) -> str:
    return _CONSEQUENCES[finding.consequence]


def _parameters(finding: Finding) -> str:
    if finding.merge_key == FOLLOWS:
        return "The layers are the same; their inputs have more or fewer channels."
    name = finding.attribute or ""
    if is_sharing(finding):
        return "Layers share their parameters on one side only."
    if finding.before in ("learned", "fixed"):
        return "It is trainable on one side only; the function is the same."
    one_sided = finding.before is None or finding.after is None
    if name == "bias" and one_sided:
        return _bias(finding)
    known = _PARAMETERS.get(name) if one_sided or name == "weight" else None
    return known or _plain(finding)


def _bias(finding: Finding) -> str:
    has, lacks = ("A", "B") if finding.after is None else ("B", "A")
    return (
        f"{lacks} has no bias parameter: {has}'s bias fits only if a normalisation directly after"
        " the layer can absorb it in its mean."
    )


def _moved(finding: Finding) -> str:
    if finding.detail is not None:
        return (
            "The block is downsampled at another layer: the shapes around it are equal, the values"
            " that the layers in between read are not. The weights fit, but give other results."
        )
    if finding.consequence == "spelling":
        return "At inference it passes its input on unchanged, at either place."
    return _plain(finding)


def _one_sided(finding: Finding) -> str:
    operator = finding.operator
    if finding.place == UNREAD:
        return "Its output is not used."
    if finding.consequence == "spelling":
        return "At inference it passes its input on unchanged."
    side, other = ("A", "B") if finding.kind == "deleted" else ("B", "A")
    if operator == PREPROCESSING:
        return f"{side} takes raw inputs; {other} needs inputs that are preprocessed like this."
    if operator == "input":
        return f"{side} has an input that {other} does not have."
    if finding.place == END and operator in ("Softmax", "LogSoftmax"):
        return "One network ends in probabilities (or their logarithms), the other in raw scores."
    if finding.place == END:
        return f"{other} ends before it: the caller has to compute what {side} does here."
    if family(operator) == "activation":
        return f"{other} passes the values on without this activation of {side}."
    if finding.parameter_delta:
        return f"{other} has no counterpart: the weights fit nowhere."
    return f"{other} has no counterpart: its readers read other values, or are missing too."


def _network(finding: Finding) -> str:
    if not finding.detail:
        return "No two layers at the same place have weights of the same shape."
    counts = ", ".join(f"{operator} × {count}" for operator, count in finding.detail)
    return f"Layers with weights of the same shape at the same place: {counts}."


def _operator(finding: Finding) -> str:
    if finding.consequence == "spelling":
        return "The same function at these shapes: the weights fit, reshaped if necessary."
    if {finding.before, finding.after} == {"Softmax", "LogSoftmax"}:
        return "Probabilities on one side, their logarithms on the other: the ranking is the same."
    if any(len(ids) > 1 for ids in finding.pair):
        return "Different layers at the same place: parity shows whether they compute the same."
    return "A different function at the same place: the layers after it read other values."


def _rewired(finding: Finding) -> str:
    if finding.attribute == ROLES:
        return _ROLES
    if finding.attribute == INPUTS:
        return _INPUTS
    if finding.attribute == PARTS:
        return _PARTS
    if finding.consequence == "spelling":
        return "The same outputs, in another order."
    if finding.operator == "output":
        if any(len(ids) > 1 for ids in finding.pair):
            return (
                "The networks return different values. The layers that lead to this output alone "
                "are not listed."
            )
        return "The networks return different values."
    if finding.merge_key == TURNED and finding.operator == "Concat":
        return (
            "The same tensors concatenated in another order: permute the input channels of the"
            " weights after it to copy them."
        )
    if finding.merge_key == TURNED:
        return "The same tensors, in other operand slots of the layer."
    return "The same layer, with other operands."


def _shape(finding: Finding) -> str:
    if finding.attribute == LAYOUT:
        return _LAYOUTS[finding.operator]
    if finding.consequence == "spelling" and finding.merge_key in LAID_OUT:
        return (
            "The same values in another layout: the weights fit; intermediate tensors have to be"
            " brought into one layout before they are compared."
        )
    if finding.consequence == "spelling":
        return "The shape is written differently: batch size, names, or dimensions of size one."
    if finding.operator == "input":
        return f"B's input has the shape {formatting.shape_of(finding.after)}."
    return _plain(finding)


def _attribute(finding: Finding) -> str:
    return attribute_meanings.sentence(finding) or _plain(finding)


_INPUTS: Final = (
    "Inputs of the same names feed other layers than in A: a caller who gives both ports the same"
    " gets other numbers."
)

_ROLES: Final = (
    "By their names, the projections of queries, keys and values feed other operands than in A:"
    " with weights copied by name, B computes something else."
)

_PARTS: Final = (
    "One product computes several tensors, and its parts are read in another order: a weight that"
    " is copied as it is swaps them. If that order is intended, permute the weight's rows."
)

_SENTENCES: Final[dict[str, Callable[[Finding], str]]] = {
    "network": _network,
    "attribute": _attribute,
    "parameters": _parameters,
    "moved": _moved,
    "inserted": _one_sided,
    "deleted": _one_sided,
    "operator": _operator,
    "rewired": _rewired,
    "regrouped": fusion_meanings.sentence,
    "shape": _shape,
}
