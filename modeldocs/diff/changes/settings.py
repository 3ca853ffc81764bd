"""How two matched layers differ by themselves: operator, attributes, padding, arrangement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from modeldocs.diff.changes import implied_settings
from modeldocs.diff.changes.elements import Arranged
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.operand_orders import reordered, transpositions
from modeldocs.diff.function import windows
from modeldocs.diff.function.attributes import NEUTRAL, TRAINING
from modeldocs.diff.function.canonical_op import DENSE, CanonicalOp
from modeldocs.diff.parity import Pair
from modeldocs.ir import Layer, Operand

ORDER: Final = "order of axes"
"""Attribute of the finding that a layer sees what it reads in another order."""

_PADS: Final = "pads"
_CEIL: Final = "ceil_mode"
_OF_MODE: Final = frozenset({"coordinate_transformation_mode", "nearest_mode", "cubic_coeff_a"})
"""Attributes of a Resize that frameworks choose by its mode."""

_CHANNELS_LAST: Final = (((0, 2, 1),), ((0, 2, 3, 1),), ((0, 2, 3, 4, 1),))
FLATTENED: Final = {
    *(((), order) for order in _CHANNELS_LAST),
    *((order, ()) for order in _CHANNELS_LAST),
}
"""Orders of axes on both sides where one flattens an image channels last."""

Told = tuple[str, Any, Any, str, Any]
"""(name, before, after, consequence, what lines have in common) of an attribute."""


class Compared:
    """Compares the layers of two graphs; what two forms state differently is found once.

    `laid` are the ids of A's inputs whose axes stand in another order in B; `alike` where both keep
    images and kernels in one layout: then nothing but the network itself turns what it flattens.
    """

    def __init__(self, arranged: Arranged, laid: Collection[str], *, alike: bool) -> None:
        self._arranged = arranged
        self._laid = laid
        self.alike = alike
        self._known: dict[tuple[int, int], list[Told]] = {}

    def findings(
        self,
        a: Layer,
        b: Layer,
        ours: CanonicalOp,
        theirs: CanonicalOp,
        agreeing: Collection[str] | None = None,
    ) -> list[Finding]:
        """Differences between two matched layers, whatever surrounds them.

        Layers that are known to make the same elements of the same, in whatever order, have in
        `agreeing` the attributes in which they differ by that order alone.
        """
        if a.operator != b.operator:
            same = ours.same_function(theirs) or (agreeing is not None and _dense(a, b))
            return list(_operator(a, b, ours, theirs, same=same))
        told = implied_settings.with_implied(a, b, self._told(ours, theirs))
        if not told and a.padding == b.padding and not _plumbed(a, b):
            return []
        pair = (a.id,), (b.id,)
        turned = self._turned(a, b) if agreeing is None else []
        told = [one for one in told if one[0] not in (agreeing or ())]
        otherwise = _told_otherwise(a, b, ours, theirs, told)
        found = [
            Finding("attribute", means, a.operator, pair, name, before, after, alike)
            for name, before, after, means, alike in told
            if not (otherwise and name in (_PADS, _CEIL))
            if name != "axis" or not _from_the_end(a, b, before, after)
        ]
        if otherwise:
            found.append(_strategy(a, b, pair))
        if turned:
            found.append(_arrangement(a, turned, ours, pair, alike=self.alike))
        return found

    def _turned(self, a: Layer, b: Layer) -> list[tuple[Operand, Operand]]:
        """Operands of which the two see the elements in another order.

        Those that are made by other layers have no elements in common to tell an order of.
        """
        arranged = self._arranged
        return [
            (x, y)
            for x, y in reordered(a.inputs, b.inputs)
            if x.value not in self._laid
            if arranged.same_value(x, y) and not arranged.in_place(x, y)
        ]

    def _told(self, ours: CanonicalOp, theirs: CanonicalOp) -> list[Told]:
        key = id(ours), id(theirs)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = list(_attributes(ours, theirs))
        return found


def _dense(a: Layer, b: Layer) -> bool:
    """Whether both multiply by a matrix: each pixel in a convolution."""
    return {a.operator, b.operator} <= {"Conv", "Gemm", "MatMul"}


def _plumbed(a: Layer, b: Layer) -> bool:
    """Whether anything is told between a layer and what it reads."""
    return any(operand.steps for operand in (*a.inputs, *b.inputs))


def _from_the_end(a: Layer, b: Layer, before: Any, after: Any) -> bool:
    """Whether both work along the same axis counted from the last, of tensors of other rank."""
    ranks = [len(windows.input_shape(layer) or ()) for layer in (a, b)]
    if not isinstance(before, int) or not isinstance(after, int) or 0 in ranks:
        return False
    return ranks[0] != ranks[1] and before - ranks[0] == after - ranks[1]


def _told_otherwise(
    a: Layer, b: Layer, ours: CanonicalOp, theirs: CanonicalOp, told: Sequence[Told]
) -> bool:
    """Whether the same padding is told by other strategies, or by other numbers."""
    numbers = {means for name, _, _, means, _ in told if name in (_PADS, _CEIL)}
    if numbers:
        return numbers == {"spelling"} and bool(a.padding or b.padding)
    return _told_padding(a) != _told_padding(b) and _pads(ours) == _pads(theirs) is not None


def _strategy(a: Layer, b: Layer, pair: Pair) -> Finding:
    told = a.padding, b.padding
    return Finding("attribute", "spelling", "", pair, "padding", *told, alike="told otherwise")


def _operator(
    a: Layer, b: Layer, ours: CanonicalOp, theirs: CanonicalOp, *, same: bool
) -> Iterator[Finding]:
    pair = (a.id,), (b.id,)
    means = "spelling" if same or ours.operator == theirs.operator else "computes"
    yield Finding("operator", means, "", pair, None, a.operator, b.operator)
    if ours.operator == theirs.operator and not same:
        for name, before, after in _differing(dict(ours.attributes), dict(theirs.attributes)):
            yield Finding("attribute", "computes", a.operator, pair, name, before, after)


def _attributes(ours: CanonicalOp, theirs: CanonicalOp) -> Iterator[Told]:
    """What two layers of one operator state differently."""
    learned = {*dict(ours.parameters), *dict(theirs.parameters)}
    found = {
        name: (before, after)
        for name, before, after in _differing(dict(ours.declared), dict(theirs.declared))
        if name not in learned
    }
    if "mode" in found:  # how a coordinate is found follows from the mode
        found = {name: told for name, told in found.items() if name not in _OF_MODE}
    altering = _altering(ours, theirs, set(found))
    if _centred(found):
        found = {name: told for name, told in found.items() if name not in (_PADS, _CEIL)}
    if _CEIL in found and _PADS in found and (altering & {_PADS, _CEIL} != {_CEIL}):
        rounding = found.pop(_CEIL)
        before, after = found[_PADS]
        found[_PADS] = _rounded(before, rounding[0]), _rounded(after, rounding[1])
    neutral = NEUTRAL.get(ours.operator, {})
    for name, (before, after) in found.items():
        one_sided = before is None or after is None
        alike = ("neutral", before is None) if one_sided and name in neutral else None
        means = "computes" if name in altering else "spelling"
        yield name, before, after, means, alike if means == "spelling" else None


def _centred(found: dict[str, Any]) -> bool:
    """Whether other pads only make up for a kernel of another size."""
    if not {"kernel_shape", "pads"} <= found.keys() or found.keys() & {"strides", "dilations"}:
        return False
    kernels, pads = found["kernel_shape"], found["pads"]
    return len(kernels[0]) == len(kernels[1]) and all(
        2 * (pads[0][axis] - pads[1][axis]) in (grown, grown - 1, grown + 1)
        for axis, grown in enumerate(x - y for x, y in zip(*kernels, strict=True))
    )


def _altering(ours: CanonicalOp, theirs: CanonicalOp, names: set[str]) -> set[str]:
    """Those of the attributes stated differently by which another function is computed."""
    if ours.same_function(theirs):
        return set()
    if ours.operator != theirs.operator:
        return names - TRAINING
    left, right = dict(ours.attributes), dict(theirs.attributes)
    altering = {name for name in names - TRAINING if _parted(left, right, name)}
    counted = "count_include_pad" not in names and _parted(left, right, "count_include_pad")
    if _parted(left, right, _PADS) or counted:
        altering |= {_PADS} & names or {_CEIL} & names
    return altering


def _parted(left: dict[str, Any], right: dict[str, Any], name: str) -> bool:
    return bool(left.get(name) != right.get(name))


def _rounded(pads: Any, ceil: Any) -> tuple[Any, ...]:
    return (*pads, "ceil" if ceil else "floor")


def _differing(left: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [
        (name, left.get(name), right.get(name))
        for name in sorted(left.keys() | right.keys())
        if left.get(name) != right.get(name)
    ]


def _told_padding(layer: Layer) -> str | None:
    return layer.padding.casefold() if layer.padding else None


def _pads(op: CanonicalOp) -> Any:
    return dict(op.declared).get(_PADS)


def _arrangement(
    a: Layer,
    turned: list[tuple[Operand, Operand]],
    op: CanonicalOp,
    pair: Pair,
    *,
    alike: bool,
) -> Finding:
    """Operands whose axes are permuted on one side only.

    A dense layer's weights make up for it, and whoever feeds the network does for its inputs. Where
    both keep their images in the same layout, weights that are carried over as they are do not.
    """
    before = tuple(sorted(told for x, _ in turned for told in transpositions(x.steps)))
    after = tuple(sorted(told for _, y in turned for told in transpositions(y.steps)))
    flattened = alike and (before, after) in FLATTENED
    means = "spelling" if op.operator == DENSE and not flattened else "computes"
    return Finding("attribute", means, a.operator, pair, ORDER, before, after)
