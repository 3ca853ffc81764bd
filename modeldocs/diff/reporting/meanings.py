"""What a change means for a person who ports the model: one sentence a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from modeldocs.diff.changes.accounts import FOLLOWS
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.findings import TURNED
from modeldocs.diff.changes.layouts import LAYOUT
from modeldocs.diff.changes.parameters import is_sharing
from modeldocs.diff.changes.part_orders import PARTS
from modeldocs.diff.changes.roles import ROLES
from modeldocs.diff.changes.shape_propagation import LAID_OUT
from modeldocs.diff.changes.unmatched import PREPROCESSING, UNREAD
from modeldocs.diff.reporting import attribute_meanings, fusion_meanings, values
from modeldocs.ir.operators import family

Group = Sequence[Finding]

_CONSEQUENCES: Final = {
    "computes": "The two compute something else here, whatever the weights.",
    "shape": "Tensors have another shape from here on.",
    "parameters": "Another number of parameters is learned: weights do not fit one to one.",
    "order": "The same layer stands elsewhere, so the layers between see other numbers.",
    "spelling": "The same function, told differently: weights carry over.",
}

_LAYOUTS: Final = {
    "input": "The network wants its input in another layout: transpose what you feed it.",
    "output": "The network hands its output out in another layout: transpose what you get.",
}
_PARAMETERS: Final = {
    "scale": "One side learns a factor for each channel (gamma), the other keeps it at one:"
    " fill in ones to carry the weights over.",
    "weight": "Another number of channels: the weights do not fit.",
}


def sentence(group: Group) -> str:
    """What the findings of one line mean."""
    return _SENTENCES.get(group[0].kind, _plain)(group[0])


def _plain(finding: Finding) -> str:
    return _CONSEQUENCES[finding.consequence]


def _parameters(finding: Finding) -> str:
    if finding.alike == FOLLOWS:
        return "The layers are the same; what they read has more or fewer channels."
    name = finding.attribute or ""
    if is_sharing(finding):
        return "Layers share their parameters on one side alone."
    if finding.before in ("learned", "fixed"):
        return "Training changes it on one side alone; the function is the same."
    one_sided = finding.before is None or finding.after is None
    if name == "bias" and one_sided:
        return _bias(finding)
    known = _PARAMETERS.get(name) if one_sided or name == "weight" else None
    return known or _plain(finding)


def _bias(finding: Finding) -> str:
    has, lacks = ("A", "B") if finding.after is None else ("B", "A")
    return (
        f"{lacks} has no room for {has}'s bias, unless a normalisation right behind the layer takes"
        " it up in its mean."
    )


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
    if finding.where == UNREAD:
        return "Nothing is made of what it computes."
    if finding.consequence == "spelling":
        return "It hands its input on at inference."
    side, other = ("A", "B") if finding.kind == "deleted" else ("B", "A")
    if operator == PREPROCESSING:
        return f"{side} takes raw inputs; {other} must be fed with what this makes of them."
    if operator == "input":
        return f"{side} is fed with a tensor that {other} does without."
    if finding.where == "at the end" and operator in ("Softmax", "LogSoftmax"):
        return "One network ends in probabilities (or their logarithms), the other in raw scores."
    if finding.where == "at the end":
        return f"{other} ends before it: what {side} makes of it is left to the caller."
    if family(operator) == "activation":
        return f"{other} goes on with the raw values where {side} bends them."
    if finding.delta:
        return f"{other} has nothing in its place: its weights have nowhere to go."
    return f"{other} has nothing in its place: what reads it sees other numbers, or is missing too."


def _network(finding: Finding) -> str:
    if not finding.amount:
        return (
            "No layer of one has weights of the shape that a layer in its place has in the other."
        )
    told = ", ".join(f"{operator} × {count}" for operator, count in finding.amount)
    return f"In common are layers with weights of the same shape in the same place: {told}."


def _operator(finding: Finding) -> str:
    if finding.consequence == "spelling":
        return "The same function at these sizes: weights carry over, in another shape at most."
    if {finding.before, finding.after} == {"Softmax", "LogSoftmax"}:
        return "Probabilities against their logarithms: the order of the classes is the same."
    if any(len(ids) > 1 for ids in finding.pair):
        return (
            "Other layers in the same place: parity tells whether what follows sees other numbers."
        )
    return "Another function in the same place: what follows sees other numbers."


def _rewired(finding: Finding) -> str:
    if finding.attribute == ROLES:
        return _ROLES
    if finding.attribute == PARTS:
        return _PARTS
    if finding.consequence == "spelling":
        return "The same outputs, in another order."
    if finding.operator == "output":
        return "The networks hand out other values."
    if finding.alike == TURNED and finding.operator == "Concat":
        return (
            "The same tensors joined in another order: permute the channels of the weights behind"
            " it to carry them over."
        )
    if finding.alike == TURNED:
        return "The same tensors in other places of the layer."
    return "The same layer, fed with other values."


def _shape(finding: Finding) -> str:
    if finding.attribute == LAYOUT:
        return _LAYOUTS[finding.operator]
    if finding.consequence == "spelling" and finding.alike in LAID_OUT:
        return (
            "The same numbers, laid out otherwise: weights carry over; tensors in between are to be"
            " put in one order before they are compared."
        )
    if finding.consequence == "spelling":
        return "The shape is told otherwise: batch, names or sizes of one."
    if finding.operator == "input":
        return f"The network is fed with {values.shape(finding.after)} in B."
    return _plain(finding)


def _attribute(finding: Finding) -> str:
    return attribute_meanings.sentence(finding) or _plain(finding)


_ROLES: Final = (
    "By their names, the layers that make queries, keys and values feed other operands than in A:"
    " weights carried over by name compute something else."
)

_PARTS: Final = (
    "One product makes several tensors, and its parts are read in another order: a weight that is"
    " carried over as it is feeds them swapped. Where that is meant, permute its rows."
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
