"""Settings undone: those of one side are put into the other, and what makes the numbers equal
again is what acts.

A setting is an attribute of a layer, or an operand that is constant: a pad, an epsilon, a mask.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir.operators.operands import role
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.numeric.parity import lowering, measurements
from modeldocs.numeric.parity.regions.measuring import RegionRuns

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
        pair = pair_of(self.runs, number)
        if pair is None:
            return None
        operands = _operands(pair)
        ours, theirs = (_settings(node, operands) for node in pair)
        names = sorted(name for name in ours.keys() | theirs.keys() if _differ(name, ours, theirs))
        kind = (pair[0].op_type, *((n, _text(ours.get(n)), _text(theirs.get(n))) for n in names))
        if kind not in self._known and time.monotonic() < self._until:
            self._known[kind] = self._undone(number, {n: ours.get(n) for n in names}, operands)
        return self._known.get(kind)

    def _undone(
        self, number: int, differing: Mapping[str, Setting], operands: Sequence[str]
    ) -> Undone | None:
        """The fewest of A's settings with which B gives A's numbers; None where none do."""
        if len(differing) > _MOST:
            return None
        for chosen in _subsets(differing):
            if _is_equal(self.runs, number, {n: differing[n] for n in chosen}, operands):
                idle = differing.keys() - set(chosen)
                return Undone(_as_told(chosen), _as_told(idle))
        return None


def _as_told(names: Collection[str]) -> frozenset[str]:
    """Names of settings as changes tell them: the heads of attention are one setting."""
    told = set(names)
    pairs = {"kv_num_heads"} & told
    if "q_num_heads" in told:
        told = told - {"q_num_heads", *pairs} | {"heads"}
    elif pairs:
        told = told - pairs | {"kv_heads"}
    return frozenset(told)


def pair_of(runs: RegionRuns, number: int) -> tuple[ir.Node, ir.Node] | None:
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


def _subsets(names: Collection[str]) -> Iterator[tuple[str, ...]]:
    for count in range(1, len(names) + 1):
        yield from itertools.combinations(names, count)


def _settings(node: ir.Node, operands: Sequence[str]) -> dict[str, Setting]:
    """A node's attributes, and its constant operands by their name."""
    settings: dict[str, Setting] = dict(node.attributes)
    for name, value in zip(operands, node.inputs, strict=False):
        constant = values.constant(value) if value is not None else None
        if constant is not None and not values.is_parameter(value):
            settings[name] = constant
    return settings


def _operands(pair: tuple[ir.Node, ir.Node]) -> list[str]:
    """The names of the operands of two nodes of one operator; a repeated name with its slot."""
    count = max(len(node.inputs) for node in pair)
    names = [role(values.operator(pair[0]), slot) for slot in range(count)]
    return [
        name if names.index(name) == slot else f"{name} {slot}" for slot, name in enumerate(names)
    ]


def _differ(name: str, ours: Mapping[str, Setting], theirs: Mapping[str, Setting]) -> bool:
    one, other = _plain(ours.get(name)), _plain(theirs.get(name))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape != other.shape or not np.array_equal(one, other)
    return type(one) is not type(other) or bool(one != other)


def _plain(setting: Setting) -> Any:
    return setting.value if isinstance(setting, ir.Attr) else setting


def _is_equal(
    runs: RegionRuns, number: int, changed: Mapping[str, Setting], operands: Sequence[str]
) -> bool:
    """Whether B's layer with these of A's settings gives A's numbers."""
    group = runs.frontiers.group(number)
    model = runs.theirs.graph.model.clone()
    builder = GraphBuilder(model.graph)
    name = str(group.b.outputs[0].name)
    node = next(one for one in model.graph if any(v.name == name for v in one.outputs))
    for setting, value in changed.items():
        if setting in operands:
            slot = operands.index(setting)
            if slot >= len(node.inputs):
                node.resize_inputs(slot + 1)
            constant = builder.constant(value, setting) if isinstance(value, np.ndarray) else None
            node.replace_input_with(slot, constant)
        elif isinstance(value, ir.Attr):
            node.attributes[setting] = value
        else:
            node.attributes.pop(setting, None)
    try:
        lowered = lowering.lower(model)
    except Exception:  # settings of the other side may make no sense here
        return False
    measured = runs.one(number, (), lowered)
    apart = measured.difference or Difference()
    return not measured.unlike and apart.size() <= measurements.tolerance(group)
