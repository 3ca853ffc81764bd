"""How two matched layers differ in what they learn, and in what they share."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Final

from modeldocs.diff.alignment.matching import Matching, operators_of
from modeldocs.diff.alignment.similarity import same_operator
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.shape_propagation import Shapes
from modeldocs.diff.changes.tensors import ratio
from modeldocs.diff.function.canonical_op import BROADCAST
from modeldocs.diff.parity import Pair
from modeldocs.ir import Layer, Parameter

_SHARING: Final = "sharing"
"""What findings have in common that parameters are shared on one side only."""


def findings(matching: Matching, shapes: Shapes) -> Iterator[tuple[int, Finding]]:
    """(node of A, finding) for parameters only one side has, or in another shape of its own."""
    for i, j in matching.pairs():
        ours, theirs = matching.a.ops[i], matching.b.ops[j]
        if ours.parameters == theirs.parameters or not same_operator(matching, i, j):
            continue
        a, b = matching.a.nodes[i], matching.b.nodes[j]
        left, right = dict(ours.parameters), dict(theirs.parameters)
        for role in sorted(left.keys() | right.keys()):
            before, after = left.get(role), right.get(role)
            if _same(before, after) or _follows(shapes, i, before, after, role):
                continue
            told = _finding(operators_of(matching, i), ((a.id,), (b.id,)), role, before, after)
            if _turned(matching, i, before, after) or _of_the_same_values(before, after):
                told.consequence = "spelling"
            yield i, told


def _same(before: Any, after: Any) -> bool:
    """Whether two shapes are the same as far as both are known: 0 is a size that is not."""
    if before is None or after is None or len(before) != len(after):
        return bool(before == after)
    return all(a == b or not (a and b) for a, b in zip(before, after, strict=True))


def _turned(matching: Matching, i: int, before: Any, after: Any) -> bool:
    """Whether one value a channel lies along another axis because the tensor's axes do."""
    if before is None or after is None or matching.a.ops[i].operator not in BROADCAST:
        return False
    shapes = matching.a.kinds[i].makes, matching.b.kinds[matching.to_b[i]].makes
    if shapes[0] == shapes[1] or None in shapes:
        return False
    ours, theirs = ([dim for dim in shape if dim != 1] for shape in (before, after))
    return ours == theirs and len(ours) == 1


def _of_the_same_values(before: Any, after: Any) -> bool:
    """Whether two shapes differ in sizes of one alone."""
    if before is None or after is None:
        return False
    return bool([dim for dim in before if dim != 1] == [dim for dim in after if dim != 1])


def _finding(operators: tuple[str, str], pair: Pair, role: str, before: Any, after: Any) -> Finding:
    one_sided = before is None or after is None
    return Finding(
        kind="parameters",
        consequence="parameters",
        operator=operators[0],
        became=operators[1],
        pair=pair,
        attribute=role,
        before=before,
        after=after,
        alike=("only", before is None) if one_sided else ratio(before, after),
        delta=_size(after) - _size(before),
    )


def _size(shape: Any) -> int:
    return 0 if shape is None else prod(shape)


def _follows(shapes: Shapes, node: int, before: Any, after: Any, role: str) -> bool:
    """Whether a parameter has another shape only because a tensor it meets has.

    A weight follows its input as long as the channels it makes are the same; scales and biases
    follow their output.
    """
    if before is None or after is None:
        return False
    if role != "weight":
        return node in shapes.found
    axis = 1 if shapes.matching.a.ops[node].operator == "ConvTranspose" else 0
    if before[axis : axis + 1] != after[axis : axis + 1] or not shapes.reads_other_shapes(node):
        return False
    return shapes.add_follower(node)


def fold(finding: Finding, causes: list[Finding]) -> bool:
    """Tell a weight's other shape with the kernel or the groups that it comes of, if it does."""
    before, after = finding.before, finding.after
    if finding.attribute != "weight" or before is None or after is None or len(before) < 3:
        return False
    names = {one.attribute: one for one in causes if one.kind == "attribute"}
    wanted = {"group"} if before[1] != after[1] else set()
    if before[2:] != after[2:]:
        wanted.add("kernel_shape")
    if before[0] != after[0] or len(before) != len(after) or not wanted <= names.keys():
        return False
    names[min(wanted)].delta += finding.delta
    return True


def uses(matching: Matching) -> Iterator[Finding]:
    """Parameters that one side shares between layers, or learns, and the other does not."""
    first_a: dict[str, tuple[int, str]] = {}
    first_b: dict[str, tuple[int, str]] = {}
    for i, j in matching.pairs():
        a, b = matching.a.nodes[i], matching.b.nodes[j]
        if not isinstance(a, Layer) or not isinstance(b, Layer):
            continue
        for ours, other in _by_role(a.parameters, b.parameters):
            if ours.trainable != other.trainable:
                yield _trained(matching, i, ours, other)
            owner_a = first_a.setdefault(ours.name, (i, ours.role))
            owner_b = first_b.setdefault(other.name, (i, ours.role))
            if owner_a != owner_b:
                told = _told(owner_a[0] != i), _told(owner_b[0] != i)
                yield _use(matching, i, ours.role, told, alike=(_SHARING, *told))


def _by_role(
    ours: tuple[Parameter, ...], theirs: tuple[Parameter, ...]
) -> Iterator[tuple[Parameter, Parameter]]:
    if not ours or not theirs:
        return
    by_role = {parameter.role: parameter for parameter in theirs}
    for parameter in ours:
        other = by_role.get(parameter.role)
        if other is not None and parameter.name and other.name:
            yield parameter, other


def _trained(matching: Matching, i: int, ours: Parameter, theirs: Parameter) -> Finding:
    before, after = ("learned" if one.trainable else "fixed" for one in (ours, theirs))
    told = _use(matching, i, ours.role, (before, after))
    told.delta = theirs.elements if theirs.trainable else -ours.elements
    return told


def _use(
    matching: Matching, i: int, role: str, told: tuple[str, str], alike: object = None
) -> Finding:
    operator, became = operators_of(matching, i)
    return Finding(
        "parameters",
        "parameters",
        operator,
        ((matching.a.nodes[i].id,), (matching.b.nodes[matching.to_b[i]].id,)),
        role,
        *told,
        alike=alike,
        became=became,
    )


def is_sharing(finding: Finding) -> bool:
    """Whether a finding is that parameters are shared on one side only."""
    return isinstance(finding.alike, tuple) and finding.alike[:1] == (_SHARING,)


def _told(shared: bool) -> str:
    return "shared" if shared else "its own"
