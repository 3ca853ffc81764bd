"""Small networks for parity: written as text, loaded as a port is, compared as a build does."""

from __future__ import annotations

import tempfile
from pathlib import Path

import onnx
import onnx_ir as ir

from modeldocs import diff, normal
from modeldocs.diff import Diff, Match, Parity
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.onnx import OnnxLoader
from modeldocs.normal import normalise
from modeldocs.numeric.parity.programs import programs
from modeldocs.numeric.parity.run import compare_networks
from tests import onnxes


def loaded(text: str, opset: int = 20, **weights: object) -> ir.Model:
    """What the loader makes of a network, as from a file."""
    return _loaded(onnxes.parse(text, opset, **weights).SerializeToString())


def _loaded(data: bytes) -> ir.Model:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.onnx")
        file.write_bytes(data)
        model = OnnxLoader().load(LoadRequest(root=folder, path=str(file), name="net"))
    return ir.from_proto(onnx.load_from_string(ir.to_proto(model).SerializeToString()))


def difference(a: ir.Model, b: ir.Model) -> Diff:
    """The diff of two models by structure."""
    return diff.compare(normalise(a.clone()), normalise(b.clone()))


def parity(a: ir.Model, b: ir.Model, structure: Diff | None = None) -> tuple[Parity, Diff]:
    """Both models with the same weights, and the diff that was compared by."""
    structure = structure or difference(a, b)
    return compare_networks(*programs(in_form(a), in_form(b)), structure), structure


def in_form(model: ir.Model) -> ir.Model:
    """A copy of a model, in normal form."""
    copy = model.clone()
    normal.apply(copy)
    return copy


def matched(a: ir.Model, b: ir.Model, *pairs: tuple[str, str]) -> Diff:
    """A diff that says which layers correspond, given by hand: `conv-1 relu-1` for two."""
    empty = difference(a, b)
    matches = tuple(
        Match(a=tuple(x.split()), b=tuple(y.split()), reason="given", confidence=1.0)
        for x, y in pairs
    )
    return Diff(verdict="different", names=empty.names, a=empty.a, b=empty.b, matches=matches)


def explained(result: Parity, structure: Diff) -> str:
    """The line of the diff that explains the first divergence."""
    assert result.first is not None and result.first.change is not None
    return structure.changes[result.first.change - 1].title
