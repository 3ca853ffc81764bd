"""Differences of two matched layers: operator, attributes, padding, order of axes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from modeldocs.diff.changes import implied_settings
from modeldocs.diff.changes.axes import along_other_elements
from modeldocs.diff.changes.elements import Arranged
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.operand_orders import reordered, transpositions
from modeldocs.diff.function import windows
from modeldocs.diff.function.arrangement import Groups
from modeldocs.diff.function.attributes import TRAINING, neutral_operands
from modeldocs.diff.function.canonical_op import DENSE, CanonicalOp
from modeldocs.diff.parity import Pair
from modeldocs.ir import Layer, Operand

ORDER: Final = "order of axes"
"""Attribute of findings that a layer reads its operand's elements in another order."""

FOLLOWING: Final = "follows from the size of the windows"
"""Detail of a finding of pads that keep the centres of windows of another size in place."""

_PADS: Final = "pads"
_CEIL: Final = "ceil_mode"
_OF_MODE: Final = frozenset({"coordinate_transformation_mode", "nearest_mode", "cubic_coeff_a"})
"""Attributes of a Resize that follow from its mode in most frameworks."""

_CHANNELS_LAST: Final = (((0, 2, 1),), ((0, 2, 3, 1),), ((0, 2, 3, 4, 1),))
FLATTENED: Final = {
    *(((), order) for order in _CHANNELS_LAST),
    *((order, ()) for order in _CHANNELS_LAST),
}
"""Orders of axes in A and B where one of them flattens an image with its channels last."""

Difference = tuple[str, Any, Any, str, Any]
"""(name, before, after, consequence, merge key) of an attribute."""


class SettingsComparer:
    """Compares the layers of two graphs; layers with equal functions are compared once.

    `permuted_inputs` are the ids of A's inputs whose axes have another order in B. `same_layout` is
    true if both have images and kernels in one layout: a transposition before a flatten is then the
    network's own.
    """

    def __init__(
        self, arranged: Arranged, permuted_inputs: Collection[str], *, same_layout: bool
    ) -> None:
        self._arranged = arranged
        self._permuted_inputs = permuted_inputs
        self.same_layout = same_layout
        self._known: dict[tuple[int, int], list[Difference]] = {}

    def findings(
        self,
        a: Layer,
        b: Layer,
        ours: CanonicalOp,
        theirs: CanonicalOp,
        agreeing: Collection[str] | None = None,
    ) -> list[Finding]:
        """Differences between two matched layers by themselves.

        `agreeing` is given for layers that are known to make the same elements of the same, in
        any order: the attributes in which they differ by that order alone.
        """
        if a.operator != b.operator:
            same = ours.same_function(theirs) or (agreeing is not None and _dense(a, b))
            return list(_operator(a, b, ours, theirs, same=same))
        differences = implied_settings.with_implied(a, b, self._declared_differently(ours, theirs))
        if not differences and a.padding == b.padding and not _has_steps(a, b):
            return []
        pair = (a.id,), (b.id,)
        permuted = self._permuted(a, b) if agreeing is None else []
        differences = [one for one in differences if one[0] not in (agreeing or ())]
        same_padding = _is_same_padding(a, b, ours, theirs, differences)
        findings = [
            Finding("attribute", consequence, a.operator, pair, name, before, after, merge_key)
            for name, before, after, consequence, merge_key in differences
            if not (same_padding and name in (_PADS, _CEIL))
            if name != "axis" or not _from_the_end(a, b, before, after)
        ]
        for one in findings:
            if one.attribute == _PADS and _keep_centres(a, b):
                one.merge_key, one.detail = (one.before, one.after, FOLLOWING), FOLLOWING
        if same_padding:
            findings.append(_strategy(a, b, pair))
        if not any(one.attribute == "axis" for one in findings):
            findings += along_other_elements(self._arranged, a, b, pair)
        if permuted:
            follows = ours.operator == DENSE and self._has_rows_in_place(a, permuted)
            same_layout = self.same_layout
            findings.append(_order_of_axes(a, permuted, pair, follows, same_layout=same_layout))
        return findings

    def _has_rows_in_place(self, a: Layer, permuted: list[tuple[Operand, Operand]]) -> bool:
        """Whether a dense layer has at most the features that it sums over in another order.

        Where it has its rows in another order, no weights make up for that.
        """
        reads = [self._arranged.read(x, y) for x, y in permuted]
        factors = [read.factors() for read in reads if read is not None]
        features = 1 if a.operator == "Conv" else -1
        return all(
            _without(common.ours, features) == _without(common.theirs, features)
            for common in factors
            if common is not None
        )

    def _permuted(self, a: Layer, b: Layer) -> list[tuple[Operand, Operand]]:
        """Operands whose elements the two read in different orders.

        Operands that are not outputs of counterparts have no elements in common.
        """
        arranged = self._arranged
        return [
            (x, y)
            for x, y in reordered(a.inputs, b.inputs)
            if x.value not in self._permuted_inputs
            if arranged.same_value(x, y) and not arranged.in_place(x, y)
        ]

    def _declared_differently(self, ours: CanonicalOp, theirs: CanonicalOp) -> list[Difference]:
        key = id(ours), id(theirs)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = list(_attributes(ours, theirs))
        return known


def _keep_centres(a: Layer, b: Layer) -> bool:
    """Whether windows of another size have pads with which their centres are the same pixels."""
    extents = [windows.extents(layer) for layer in (a, b)]
    pads = [layer.sizes(_PADS) for layer in (a, b)]
    rank = len(extents[0])
    if extents[0] == extents[1] or not rank or len(extents[1]) != rank:
        return False
    if any(len(one) != 2 * rank for one in pads):
        return False
    wider = [theirs - ours for ours, theirs in zip(*extents, strict=True)]
    more = [theirs - ours for ours, theirs in zip(*pads, strict=True)]
    return all(2 * one == grown for one, grown in zip(more, [*wider, *wider], strict=True))


def _dense(a: Layer, b: Layer) -> bool:
    """Whether both multiply by a matrix: each pixel in a convolution."""
    return {a.operator, b.operator} <= {"Conv", "Gemm", "MatMul"}


def _has_steps(a: Layer, b: Layer) -> bool:
    """Whether a layer reads an operand through steps."""
    for inputs in (a.inputs, b.inputs):
        for operand in inputs:
            if operand.steps:
                return True
    return False


def _from_the_end(a: Layer, b: Layer, before: Any, after: Any) -> bool:
    """Whether both work along the same axis counted from the last, of tensors of other rank."""
    ranks = [len(windows.input_shape(layer) or ()) for layer in (a, b)]
    if not isinstance(before, int) or not isinstance(after, int) or 0 in ranks:
        return False
    return ranks[0] != ranks[1] and before - ranks[0] == after - ranks[1]


def _is_same_padding(
    a: Layer, b: Layer, ours: CanonicalOp, theirs: CanonicalOp, differences: Sequence[Difference]
) -> bool:
    """Whether the same padding is given by other strategies, or by other numbers."""
    numbers = {consequence for name, _, _, consequence, _ in differences if name in (_PADS, _CEIL)}
    if numbers:
        return numbers == {"spelling"} and bool(a.padding or b.padding)
    return _strategy_name(a) != _strategy_name(b) and _pads(ours) == _pads(theirs) is not None


def _strategy(a: Layer, b: Layer, pair: Pair) -> Finding:
    strategies = a.padding, b.padding
    return Finding(
        "attribute", "spelling", "", pair, "padding", *strategies, merge_key="padding strategy"
    )


def _operator(
    a: Layer, b: Layer, ours: CanonicalOp, theirs: CanonicalOp, *, same: bool
) -> Iterator[Finding]:
    pair = (a.id,), (b.id,)
    consequence = "spelling" if same or ours.operator == theirs.operator else "computes"
    yield Finding("operator", consequence, "", pair, None, a.operator, b.operator)
    if ours.operator == theirs.operator and not same:
        for name, before, after in _differing(dict(ours.attributes), dict(theirs.attributes)):
            yield Finding("attribute", "computes", a.operator, pair, name, before, after)


def _attributes(ours: CanonicalOp, theirs: CanonicalOp) -> Iterator[Difference]:
    """The attributes that two layers of one operator declare differently."""
    learned = {*dict(ours.parameters), *dict(theirs.parameters)}
    differing = {
        name: (before, after)
        for name, before, after in _differing(dict(ours.declared), dict(theirs.declared))
        if name not in learned
    }
    if "mode" in differing:  # how a coordinate is computed follows from the mode
        differing = {name: values for name, values in differing.items() if name not in _OF_MODE}
    altering = _altering(ours, theirs, set(differing))
    if _pads_follow(differing):
        differing = {
            name: values for name, values in differing.items() if name not in (_PADS, _CEIL)
        }
    if _CEIL in differing and _PADS in differing and (altering & {_PADS, _CEIL} != {_CEIL}):
        rounding = differing.pop(_CEIL)
        before, after = differing[_PADS]
        differing[_PADS] = _rounded(before, rounding[0]), _rounded(after, rounding[1])
    neutral = neutral_operands(ours.operator)
    for name, (before, after) in differing.items():
        one_sided = before is None or after is None
        merge_key = ("neutral", before is None) if one_sided and name in neutral else None
        consequence = "computes" if name in altering else "spelling"
        yield name, before, after, consequence, merge_key if consequence == "spelling" else None


def _pads_follow(differing: dict[str, Any]) -> bool:
    """Whether other pads only follow from a kernel of another size."""
    if not {"kernel_shape", "pads"} <= differing.keys() or differing.keys() & {
        "strides",
        "dilations",
    }:
        return False
    kernels, pads = differing["kernel_shape"], differing["pads"]
    return len(kernels[0]) == len(kernels[1]) and all(
        2 * (pads[0][axis] - pads[1][axis]) in (grown, grown - 1, grown + 1)
        for axis, grown in enumerate(x - y for x, y in zip(*kernels, strict=True))
    )


def _altering(ours: CanonicalOp, theirs: CanonicalOp, names: set[str]) -> set[str]:
    """Those of the attributes declared differently that change the function."""
    if ours.same_function(theirs):
        return set()
    if ours.operator != theirs.operator:
        return names - TRAINING
    left, right = dict(ours.attributes), dict(theirs.attributes)
    altering = {name for name in names - TRAINING if _differs(left, right, name)}
    counted = "count_include_pad" not in names and _differs(left, right, "count_include_pad")
    if _differs(left, right, _PADS) or counted:
        altering |= {_PADS} & names or {_CEIL} & names
    return altering


def _differs(left: dict[str, Any], right: dict[str, Any], name: str) -> bool:
    return bool(left.get(name) != right.get(name))


def _rounded(pads: Any, ceil: Any) -> tuple[Any, ...]:
    return (*pads, "ceil" if ceil else "floor")


def _differing(left: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [
        (name, left.get(name), right.get(name))
        for name in sorted(left.keys() | right.keys())
        if left.get(name) != right.get(name)
    ]


def _strategy_name(layer: Layer) -> str | None:
    return layer.padding.casefold() if layer.padding else None


def _pads(op: CanonicalOp) -> Any:
    return dict(op.declared).get(_PADS)


def _without(groups: Groups, axis: int) -> list[int]:
    """The factors of all axes but one."""
    axis %= max(len(groups), 1)
    return [one for place, group in enumerate(groups) if place != axis for one in group]


def _order_of_axes(
    a: Layer,
    permuted: list[tuple[Operand, Operand]],
    pair: Pair,
    follows: bool,
    *,
    same_layout: bool,
) -> Finding:
    """The finding on operands whose axes are permuted in one graph only.

    It is spelling where the weights `follow`: a dense layer's can be permuted to fit. But not where
    both graphs have their images in one layout: there weights are carried over as they are.
    """
    before = tuple(sorted(axes for x, _ in permuted for axes in transpositions(x.steps)))
    after = tuple(sorted(axes for _, y in permuted for axes in transpositions(y.steps)))
    flattened = same_layout and (before, after) in FLATTENED
    consequence = "spelling" if follows and not flattened else "computes"
    return Finding("attribute", consequence, a.operator, pair, ORDER, before, after)
