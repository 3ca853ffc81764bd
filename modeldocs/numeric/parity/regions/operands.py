"""Operands undone: a layer of B is given A's value of an operand that each network computes in its
own way, and B's is A's turned or inverted: a mask made of an input, or indices.

What is computed in floats is data: the layers that compute it say what differs.
"""

from __future__ import annotations

import numpy as np

from modeldocs.diff import Law
from modeldocs.ir.operators.operands import role
from modeldocs.normal import values
from modeldocs.numeric.parity import measurements
from modeldocs.numeric.parity.regions.explaining import ConstantDifference
from modeldocs.numeric.parity.regions.laws import relations
from modeldocs.numeric.parity.regions.measuring import RegionRuns
from modeldocs.numeric.parity.regions.undoing import pair_of


def explained(runs: RegionRuns, number: int) -> ConstantDifference | None:
    """The operand that makes a pair of layers differ, with its law; None where none does."""
    pair = pair_of(runs, number)
    if pair is None:
        return None
    for slot, (ours, theirs) in enumerate(zip(*(node.inputs for node in pair), strict=False)):
        if ours is None or theirs is None:
            continue
        if any(
            values.is_parameter(one) or values.constant(one) is not None for one in (ours, theirs)
        ):
            continue
        both = runs.values(number, (str(ours.name), str(theirs.name)))
        if both is None or both[0].size != both[1].size or both[0].dtype.kind not in "biu":
            continue
        law = _law(*both)
        if law is None:
            continue
        given = {str(theirs.name): np.ascontiguousarray(both[0], both[1].dtype)}
        found = runs.one(number, (), weights=given)
        group = runs.frontiers.group(number)
        if found.difference is None or found.unlike:
            continue
        if found.difference.size() <= measurements.tolerance(group):
            name = role(values.operator(pair[0]), slot)
            return ConstantDifference(group.pair, (name,), (law,), (number,))
    return None


def _law(ours: np.ndarray, theirs: np.ndarray) -> Law | None:
    """How B's value follows from A's; None where it is the same, or follows in no plain way."""
    if ours.dtype.kind != theirs.dtype.kind:
        return None
    if ours.shape == theirs.shape and np.array_equal(ours, theirs):
        return None
    return relations.plain_relation(ours, theirs)
