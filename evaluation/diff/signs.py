"""Where a Relu computes nothing: on values that are never negative, or that one cuts off later."""

from __future__ import annotations

from modeldocs.ir import Layer

from .draft import Draft

_POSITIVE = frozenset(("Relu", "Sigmoid", "Softmax", "Exp", "Abs", "HardSigmoid", "Softplus"))
_KEEPING = frozenset(
    "MaxPool AveragePool GlobalAveragePool GlobalMaxPool Dropout Identity Slice Split Concat "  # noqa: SIM905
    "Add Mul Max Min LRN LpNormalization Gather Expand".split()
)
"""Operators that give nothing negative of operands that are not."""

_ONE_BY_ONE = frozenset(("MaxPool", "GlobalMaxPool", "Dropout", "Identity", "Concat", "Slice"))
"""Operators before and behind which a Relu is the same."""


def positive(draft: Draft, name: str) -> bool:
    """Whether a value is never negative."""
    layer = draft.layers.get(name)
    if layer is None:
        return False
    if layer.operator in _POSITIVE or _cuts(layer):
        return True
    plain = not layer.parameters and not _constants(layer)
    return (
        layer.operator in _KEEPING
        and plain
        and all(positive(draft, one.value) for one in layer.inputs)
    )


def cut_later(draft: Draft, name: str, users: dict[str, list[str]] | None = None) -> bool:
    """Whether all that reads a value goes on to a Relu before anything else sees it."""
    users = users or draft.users()
    readers = [draft.layers[reader] for reader in users[name]]
    return (
        bool(readers)
        and name not in draft.ends()
        and all(
            reader.operator == "Relu"
            or _cuts(reader)
            or (reader.operator in _ONE_BY_ONE and cut_later(draft, reader.id, users))
            for reader in readers
        )
    )


def idle(draft: Draft, name: str) -> bool:
    """Whether a Relu that stands there computes nothing."""
    return positive(draft, draft.layers[name].inputs[0].value) or cut_later(draft, name)


def _cuts(layer: Layer) -> bool:
    return layer.operator == "Clip" and layer.attributes.get("min", -1.0) == 0


def _constants(layer: Layer) -> bool:
    return layer.operator in ("Add", "Mul", "Max", "Min") and bool(layer.attributes)
