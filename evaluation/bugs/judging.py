"""One case held against the diff and parity of today."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import onnx
import onnx_ir as ir

from modeldocs import diff
from modeldocs.diff import Change, Diff, Parity
from modeldocs.ir import LayerGraph
from modeldocs.loaders.loading import LoadedPort
from modeldocs.numeric.parity.programs import programs
from modeldocs.numeric.parity.run import compare_networks

from .families import Answer, Case, Line
from .naming import Names


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was told of a case: whether its bug came first and exactly, what was false beside it,
    and whether parity named the layer; where there is no bug, whether nothing was told, and
    whether parity holds. `silent` is whether no line was told at all, `law` whether the first one
    says the law behind a constant.
    """

    family: str
    case: Case
    first: str
    named: bool
    false: tuple[str, ...]
    located: bool
    parity: str
    silent: bool = False
    law: bool = False

    @property
    def right(self) -> bool:
        """Whether the bug is named first, exactly, with nothing false beside it."""
        return self.named and not self.false


def judge(family: str, case: Case, right: LoadedPort, port: LoadedPort) -> Verdict:
    """Compare a port with the one that is right."""
    if right.graph is None or port.graph is None:
        failed = right.failure or port.failure
        why = failed.reason if failed else "not loaded"
        return Verdict(family, case, f"not loaded: {why}", False, (), False, "")
    structure = diff.compare(right.graph, port.graph)
    parity, reason = _parity(right, port, structure)
    told = diff.settle(structure, parity)
    real = [change for change in told.changes if change.consequence != "spelling"]
    named = bool(real and case.kind) and any(
        says(answer, real[0], right.graph, port.graph) for answer in (case, *case.instead)
    )
    beside = [x for x in (real[1:] if named else real) if not any(_is(x, y) for y in case.also)]
    return Verdict(
        family,
        case,
        real[0].title if real else "",
        named if case.kind else not real,
        tuple(change.title for change in beside),
        _located(case, told.parity, told, right.graph),
        reason or _said(parity),
        not real,
        bool(named and case.law and case.law in real[0].title),
    )


def says(answer: Answer, change: Change, a: LayerGraph, b: LayerGraph) -> bool:
    """Whether a change is that one: its kind, what of it changed, and in which layers."""
    if not _is(change, answer) or _is_unnamed(change):
        return False
    values = ((answer.before, change.before), (answer.after, change.after))
    if not all(expected is None or _same(expected, told) for expected, told in values):
        return False
    sides = (
        (answer.a, answer.within, Names(a), 0),
        (answer.b, answer.within_b, Names(b), 1),
    )
    for exact, within, names, side in sides:
        told = {name for pair in change.pairs for name in pair[side]}
        if within and not told <= names.between(within):
            return False
        if not within and told != {names.find(text) for text in exact}:
            return False
    return bool(change.pairs)


def _is(change: Change, line: Line) -> bool:
    if line.kind is not None and change.kind not in line.kind.split("|"):
        return False
    return all(
        getattr(line, field) in (None, getattr(change, field))
        for field in ("operator", "attribute")
    )


def _is_unnamed(change: Change) -> bool:
    """Whether a region is all that a change says: it names no setting of it."""
    return change.kind == "region" and ": another " not in change.title


def _same(expected: Any, told: Any) -> bool:
    if isinstance(expected, list) and isinstance(told, list | tuple):
        return len(expected) == len(told) and all(map(_same, expected, told))
    if isinstance(expected, float) and isinstance(told, int | float):
        return math.isclose(expected, told, rel_tol=1e-5)
    return bool(expected == told)


def _parity(right: LoadedPort, port: LoadedPort, told: Diff) -> tuple[Parity | None, str]:
    """The numbers of the two, or why there are none."""
    try:
        models = [ir.from_proto(onnx.ModelProto.FromString(x.normal)) for x in (right, port)]
        return compare_networks(*programs(models[0], models[1]), told), ""
    except Exception as error:  # whatever it is, the case is one that was not run
        return None, f"not run: {type(error).__name__}: {error}".splitlines()[0]


def _located(case: Case, parity: Parity | None, told: Diff, a: LayerGraph) -> bool:
    """Whether the first divergence is at the bug, or at what reads it."""
    if not case.kind:
        return parity is not None and parity.verdict == "holds"
    if parity is None or parity.first is None:
        return False
    names = Names(a)
    wanted = {names.find(text) for text in (*case.a, *case.parity)}
    wanted |= names.between(case.within) if case.within else set()
    if parity.first.change is not None:
        pairs = told.changes[parity.first.change - 1].pairs
        if not wanted.isdisjoint(_ours(pairs)):
            return True
    return not wanted.isdisjoint(parity.first.pair[0])


def _ours(pairs: Iterable[tuple[tuple[str, ...], tuple[str, ...]]]) -> set[str]:
    return {name for pair in pairs for name in pair[0]}


def _said(parity: Parity | None) -> str:
    if parity is None:
        return ""
    if parity.first is not None:
        return f"{'+'.join(parity.first.pair[0])} {parity.first.error.size():.1e}"
    return parity.verdict
