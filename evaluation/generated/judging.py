"""What modeldocs says of a network and a changed one: by structure, and by running both."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs import normal
from modeldocs.diff import compare
from modeldocs.diff.diff import Diff
from modeldocs.errors import ModeldocsError
from modeldocs.loaders.onnx import weights
from modeldocs.numeric.parity.programs import programs
from modeldocs.numeric.parity.run import compare_networks

from . import mutants
from .cases import Case
from .networks import network
from .running import run, same

CONTROLS = ("self", "renamed", "reordered")


class Judged(NamedTuple):
    """One pair: the case, the change, the verdicts, and an error if one was raised."""

    case: str
    operator: str
    kind: str
    what: str
    structure: str
    parity: str
    error: str = ""

    @property
    def is_control(self) -> bool:
        """Whether both compute the same."""
        return self.kind in CONTROLS

    @property
    def said_same(self) -> bool:
        """Whether the two are said to be the same, by structure and not denied by running."""
        return self.structure in ("identical", "equivalent") and self.parity != "diverges"

    @property
    def wrong(self) -> bool:
        """Whether what is said is wrong; a crash is counted apart."""
        return not self.error and self.said_same != self.is_control


def judged(case: Case, most: int, seed: int = 0) -> Iterator[Judged]:
    """A case's network against its controls, and against mutants that compute something else."""
    random = np.random.default_rng([seed, zlib.crc32(case.name.encode())])
    base = network(case)
    expected = run(base.model, base.inputs)
    if expected is None:
        base = Case(case.name, _named(case), case.inputs)
        expected = run(base.model, base.inputs)
    if expected is None or (again := run(base.model, base.inputs)) is None:
        return
    if not same(expected, again):
        return  # random
    for control in mutants.controls(base, random):
        yield _judge(base, case.node.op_type, control)
    found = list(mutants.changed(base))
    for index in random.permutation(len(found)):
        if most <= 0:
            return
        mutant = found[index]
        numbers = run(mutant.model, base.inputs)
        if numbers is None or same(expected, numbers, tolerance=1e-3):
            continue
        most -= 1
        yield _judge(base, case.node.op_type, mutant)


def _named(case: Case) -> onnx.ModelProto:
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    model.graph.node[0].name = "case"
    return model


def _judge(base: Case, operator: str, mutant: mutants.Mutant) -> Judged:
    structure = parity = error = ""
    try:
        models = [_normal(model) for model in (base.model, mutant.model)]
        diff = compare(*(normal.read(model) for model in models))
        structure = diff.verdict
        if structure != "different" or mutant.kind in CONTROLS:
            parity = _parity(models, diff)
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"[:200].replace("\n", " ")
    return Judged(base.name, operator, mutant.kind, mutant.what, structure, parity, error)


def _normal(proto: onnx.ModelProto) -> ir.Model:
    """A model as it is loaded: without values of its weights, in normal form."""
    model = ir.from_proto(proto)
    weights.mark_parameters(model)
    normal.apply(model)
    return model


def _parity(models: list[ir.Model], diff: Diff) -> str:
    try:
        return compare_networks(*programs(*models), diff).verdict
    except ModeldocsError:
        return "not run"  # as it says: nothing there can be run
