"""Settings undone: those of one side are put into the other, and what makes the numbers equal
again is what acts.

A setting is an attribute of a layer, or an operand that is constant: a pad, an epsilon, a mask.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.numerics.closeness import Difference
from modeldocs.parity import lowering, measurements
from modeldocs.parity.matched_group import MatchedGroup
from modeldocs.parity.regions.measuring import RegionRuns

_MOST = 6
"""Settings of a pair that are undone singly and together: 63 runs at most."""
_SECONDS = 3.0
"""Time for undoing settings; what is not reached is taken to act."""

Setting = ir.Attr | np.ndarray | None


@dataclass(frozen=True)
class Undone:
    """Names of the settings of a pair of layers that act together, and of those that do not."""

    acting: frozenset[str]
    idle: frozenset[str]


class Undoing:
    """Undoes the settings of groups that differ, as long as there is time."""

    def __init__(self, runs: RegionRuns, seconds: float = _SECONDS) -> None:
        self.runs = runs
        self._until = time.monotonic() + seconds
        self._known: dict[object, Undone | None] = {}

    def of(self, number: int) -> Undone | None:
        """What acts in a group; layers that differ in the same settings are run once."""
        pair = _pair(self.runs, number)
        if pair is None:
            return None
        ours, theirs = map(_settings, pair)
        names = sorted(name for name in ours.keys() | theirs.keys() if _differ(name, ours, theirs))
        kind = (pair[0].op_type, *((n, _text(ours.get(n)), _text(theirs.get(n))) for n in names))
        if kind not in self._known and time.monotonic() < self._until:
            self._known[kind] = self._undone(number, names, ours)
        return self._known.get(kind)

    def _undone(self, number: int, names: list[str], ours: Mapping[str, Setting]) -> Undone | None:
        """The fewest settings with which B gives A's numbers; None where none do."""
        if not names or len(names) > _MOST:
            return None
        group = self.runs.frontiers.group(number)
        for chosen in _subsets(names):
            changed = {name: ours.get(name) for name in chosen}
            if _is_equal(self.runs, group, number, changed):
                return Undone(frozenset(chosen), frozenset(names) - frozenset(chosen))
        return None


def _pair(runs: RegionRuns, number: int) -> tuple[ir.Node, ir.Node] | None:
    """The nodes of a group of one layer each, of one operator: settings of others cannot be
    exchanged.
    """
    group, graphs = runs.frontiers.group(number), runs.frontiers.graphs
    if len(group.a.ids) != 1 or len(group.b.ids) != 1:
        return None
    a, b = graphs[0].nodes[group.a.ids[0]], graphs[1].nodes[group.b.ids[0]]
    return (a, b) if (a.op_type, a.domain) == (b.op_type, b.domain) else None


def _text(setting: Setting) -> object:
    value = _plain(setting)
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)


def _subsets(names: list[str]) -> Iterator[tuple[str, ...]]:
    for count in range(1, len(names) + 1):
        yield from itertools.combinations(names, count)


def _settings(node: ir.Node) -> dict[str, Setting]:
    """A node's attributes, and its constant operands by their name in ONNX."""
    settings: dict[str, Setting] = dict(node.attributes)
    formal = _operands(node)
    for slot, value in enumerate(node.inputs):
        constant = values.constant(value) if value is not None else None
        if constant is not None and not values.is_parameter(value):
            settings[formal[slot] if slot < len(formal) else f"operand {slot}"] = constant
    return settings


def _operands(node: ir.Node) -> list[str]:
    """The names of an operator's operands; none where ONNX does not know it."""
    if node.domain not in values.DEFAULT_DOMAIN or not onnx.defs.has(node.op_type):
        return []
    return [operand.name for operand in onnx.defs.get_schema(node.op_type).inputs]


def _differ(name: str, ours: Mapping[str, Setting], theirs: Mapping[str, Setting]) -> bool:
    one, other = _plain(ours.get(name)), _plain(theirs.get(name))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape != other.shape or not np.array_equal(one, other)
    return type(one) is not type(other) or bool(one != other)


def _plain(setting: Setting) -> Any:
    return setting.value if isinstance(setting, ir.Attr) else setting


def _is_equal(
    runs: RegionRuns, group: MatchedGroup, number: int, changed: Mapping[str, Setting]
) -> bool:
    """Whether B's layer with these of A's settings gives A's numbers."""
    model = runs.theirs.graph.model.clone()
    name = str(group.b.outputs[0].name)
    node = next(one for one in model.graph if any(v.name == name for v in one.outputs))
    formal = _operands(node)
    for setting, value in changed.items():
        if setting in formal or isinstance(value, np.ndarray):
            slot = formal.index(setting)
            if slot >= len(node.inputs):
                node.resize_inputs(slot + 1)
            node.replace_input_with(slot, _constant(model.graph, f"{name} {setting}", value))
        elif value is None:
            node.attributes.pop(setting, None)
        else:
            node.attributes[setting] = value
    try:
        lowered = lowering.lower(model)
    except Exception:  # settings of the other side may make no sense here
        return False
    measured = runs.one(number, (), lowered)
    apart = measured.difference or Difference()
    return not measured.unlike and apart.size() <= measurements.tolerance(group)


def _constant(graph: ir.Graph, name: str, value: Setting) -> ir.Value | None:
    """An initializer of a graph; None where the operand is left out."""
    if not isinstance(value, np.ndarray):
        return None
    tensor = ir.tensor(value, name=name)
    constant = ir.Value(name=name, const_value=tensor, shape=ir.Shape(value.shape))
    constant.dtype = tensor.dtype
    graph.register_initializer(constant)
    return constant
