"""Torch's emitters are collected once, and what one load adds to them does not reach the next; its
operators are asked for once an export.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch.onnx._internal.exporter._registration import ONNXRegistry  # noqa: E402

from modeldocs.ir.operators import OPSET  # noqa: E402
from modeldocs.loaders.pytorch import torchlib  # noqa: E402


def test_each_export_gets_a_copy_of_what_was_collected_once() -> None:
    original = ONNXRegistry.__dict__["from_torchlib"]
    with torchlib.collected_once():
        one, other = (ONNXRegistry.from_torchlib(opset_version=OPSET) for _ in range(2))
        one.register_op(torch.ops.aten.relu.default, lambda x: x)
    assert ONNXRegistry.__dict__["from_torchlib"] is original
    assert one.functions.keys() == other.functions.keys()
    relu = torch.ops.aten.relu.default.name()
    assert len(one.functions[relu]) == len(other.functions[relu]) + 1
    assert one.functions[relu][1:] == other.functions[relu]


def test_it_holds_what_torch_collects() -> None:
    with torchlib.collected_once():
        ours = ONNXRegistry.from_torchlib(opset_version=OPSET)
    theirs = ONNXRegistry.from_torchlib(opset_version=OPSET)
    assert ours.opset_version == theirs.opset_version
    assert {name: len(found) for name, found in ours.functions.items()} == {
        name: len(found) for name, found in theirs.functions.items()
    }


def test_each_export_asks_for_the_operators_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._export import utils

    original, times = utils._materialize_cpp_cia_ops, []

    def counted() -> None:
        times.append(1)
        original()

    monkeypatch.setattr(utils, "_materialize_cpp_cia_ops", counted)
    for number in (1, 2):
        with torchlib.asked_once():
            known = utils._collect_all_valid_cia_ops()
        assert len(times) == number
    assert known == utils._collect_all_valid_cia_ops()
    assert len(times) > 3
