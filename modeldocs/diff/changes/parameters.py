"""Findings on the parameters of matched layers: their shapes, training and sharing."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Final

from modeldocs import formatting
from modeldocs.diff.alignment.matching import Matching, operators_of
from modeldocs.diff.alignment.similarity import same_operator
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.shape_propagation import Shapes
from modeldocs.diff.changes.tensors import ratio
from modeldocs.diff.parity import Pair
from modeldocs.ir import Layer, Parameter, operators

VALUES_READ: Final = "values read"
"""Attribute of the finding that a layer reads another multiple of its parameter, or another sum."""

_SHARING: Final = "sharing"
"""First item of the merge key of findings that parameters are shared on one side only."""


def findings(matching: Matching, shapes: Shapes) -> Iterator[tuple[int, Finding]]:
    """(node of A, finding) for parameters that one side lacks, or has in an unrelated shape."""
    for i, j in matching.pairs():
        ours, theirs = matching.a.ops[i], matching.b.ops[j]
        if ours.parameters == theirs.parameters or not same_operator(matching, i, j):
            continue
        a, b = matching.a.nodes[i], matching.b.nodes[j]
        left, right = dict(ours.parameters), dict(theirs.parameters)
        if operators.of(ours.operator).commutative:
            _pair_by_shape(left, right)
        for role in sorted(left.keys() | right.keys()):
            before, after = left.get(role), right.get(role)
            if _same(before, after) or _follows(shapes, i, before, after, role):
                continue
            finding = _finding(operators_of(matching, i), ((a.id,), (b.id,)), role, before, after)
            if _turned(matching, i, before, after) or _same_but_ones(before, after):
                finding.consequence = "spelling"
            yield i, finding


def _pair_by_shape(left: dict[str, Any], right: dict[str, Any]) -> None:
    """Drop parameters of one shape that both sides have as operands in other places."""
    for role in sorted(left.keys() - right.keys()):
        others = sorted(other for other in right.keys() - left.keys() if right[other] == left[role])
        if others:
            del left[role], right[others[0]]


def _same(before: Any, after: Any) -> bool:
    """Whether two shapes are equal where both are known; 0 stands for an unknown size."""
    if before is None or after is None or len(before) != len(after):
        return bool(before == after)
    return all(a == b or not (a and b) for a, b in zip(before, after, strict=True))


def _turned(matching: Matching, i: int, before: Any, after: Any) -> bool:
    """Whether one value per channel is along another axis because the tensor's channels are."""
    if before is None or after is None:
        return False
    if not operators.of(matching.a.ops[i].operator).broadcasting:
        return False
    shapes = matching.a.kinds[i].makes, matching.b.kinds[matching.to_b[i]].makes
    if shapes[0] == shapes[1] or None in shapes:
        return False
    ours, theirs = ([dim for dim in shape if dim != 1] for shape in (before, after))
    return ours == theirs and len(ours) == 1


def _same_but_ones(before: Any, after: Any) -> bool:
    """Whether two shapes differ only in sizes of one."""
    if before is None or after is None:
        return False
    return bool([dim for dim in before if dim != 1] == [dim for dim in after if dim != 1])


def _finding(operators: tuple[str, str], pair: Pair, role: str, before: Any, after: Any) -> Finding:
    one_sided = before is None or after is None
    return Finding(
        kind="parameters",
        consequence="parameters",
        operator=operators[0],
        operator_b=operators[1],
        pair=pair,
        attribute=role,
        before=before,
        after=after,
        merge_key=("only", before is None) if one_sided else ratio(before, after),
        parameter_delta=_size(after) - _size(before),
    )


def _size(shape: Any) -> int:
    return 0 if shape is None else prod(shape)


def _follows(shapes: Shapes, node: int, before: Any, after: Any, role: str) -> bool:
    """Whether a parameter has another shape only because a tensor of its layer has.

    A weight follows the input if its output channels are the same; scales and biases follow the
    output.
    """
    if before is None or after is None:
        return False
    if role != "weight":
        return node in shapes.differences
    axis = 1 if shapes.matching.a.ops[node].operator == "ConvTranspose" else 0
    if before[axis : axis + 1] != after[axis : axis + 1] or not shapes.reads_other_shapes(node):
        return False
    return shapes.add_follower(node)


def fold(finding: Finding, causes: list[Finding]) -> bool:
    """Add a weight's delta to the finding on kernel or groups that explains it, if there is one."""
    before, after = finding.before, finding.after
    if finding.attribute != "weight" or before is None or after is None or len(before) < 3:
        return False
    names = {one.attribute: one for one in causes if one.kind == "attribute"}
    wanted = {"group"} if before[1] != after[1] else set()
    if before[2:] != after[2:]:
        wanted.add("kernel_shape")
    if before[0] != after[0] or len(before) != len(after) or not wanted <= names.keys():
        return False
    names[min(wanted)].parameter_delta += finding.parameter_delta
    return True


def uses(matching: Matching) -> Iterator[Finding]:
    """Findings on parameters that only one side shares between layers, or trains."""
    first_a: dict[str, tuple[int, str]] = {}
    first_b: dict[str, tuple[int, str]] = {}
    for i, j in matching.pairs():
        a, b = matching.a.nodes[i], matching.b.nodes[j]
        if not isinstance(a, Layer) or not isinstance(b, Layer) or not a.parameters:
            continue
        for ours, other in _by_role(a.parameters, b.parameters):
            if ours.trainable != other.trainable:
                yield _trained(matching, i, ours, other)
            reads = formatting.values_read(ours), formatting.values_read(other)
            if reads[0] != reads[1]:
                yield _use(matching, i, VALUES_READ, reads, merge_key=(VALUES_READ, *reads))
            owner_a = first_a.setdefault(ours.name, (i, ours.role))
            owner_b = first_b.setdefault(other.name, (i, ours.role))
            if owner_a != owner_b:
                values = _sharing(owner_a[0] != i), _sharing(owner_b[0] != i)
                yield _use(matching, i, ours.role, values, merge_key=(_SHARING, *values))


def _by_role(
    ours: tuple[Parameter, ...], theirs: tuple[Parameter, ...]
) -> Iterator[tuple[Parameter, Parameter]]:
    if not ours or not theirs:
        return
    if len(ours) == 1 == len(theirs) and ours[0].role == theirs[0].role:
        if ours[0].name and theirs[0].name:
            yield ours[0], theirs[0]
        return
    by_role = {parameter.role: parameter for parameter in theirs}
    for parameter in ours:
        other = by_role.get(parameter.role)
        if other is not None and parameter.name and other.name:
            yield parameter, other


def _trained(matching: Matching, i: int, ours: Parameter, theirs: Parameter) -> Finding:
    before, after = ("learned" if one.trainable else "fixed" for one in (ours, theirs))
    finding = _use(matching, i, ours.role, (before, after))
    finding.parameter_delta = theirs.elements if theirs.trainable else -ours.elements
    return finding


def _use(
    matching: Matching, i: int, role: str, values: tuple[str, str], merge_key: object = None
) -> Finding:
    operator, operator_b = operators_of(matching, i)
    return Finding(
        "parameters",
        "parameters",
        operator,
        ((matching.a.nodes[i].id,), (matching.b.nodes[matching.to_b[i]].id,)),
        role,
        *values,
        merge_key=merge_key,
        operator_b=operator_b,
    )


def is_sharing(finding: Finding) -> bool:
    """Whether a finding is that parameters are shared on one side only."""
    return isinstance(finding.merge_key, tuple) and finding.merge_key[:1] == (_SHARING,)


def _sharing(shared: bool) -> str:
    return "shared" if shared else "separate"
