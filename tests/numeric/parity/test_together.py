"""Pairs compared in one process have the parities of comparisons of their own."""

from __future__ import annotations

import msgspec
import onnx_ir as ir
import pytest

from modeldocs import diff, normal
from modeldocs.diff import Parity
from modeldocs.loaders.loading import LoadedPort
from modeldocs.numeric import parity
from modeldocs.numeric.parity import worker
from tests.numeric.parity import nets

NET = """net (float[1,3,16,16] x) => (float[1,4,7,7] y) {
  a = Conv <kernel_shape=[3,3]> (x, w)
  b = Relu (a)
  y = MaxPool <kernel_shape=[2,2], strides=[2,2]> (b)
}"""
PORTS = {
    "one": NET,
    "renamed": NET.replace("b = Relu (a)", "act = Relu (a)").replace("(b)", "(act)"),
    "average": NET.replace("MaxPool", "AveragePool"),
}


@pytest.fixture(scope="module")
def ports() -> dict[str, LoadedPort]:
    forms = {name: nets.in_form(nets.loaded(text, w=(4, 3, 3, 3))) for name, text in PORTS.items()}
    return {
        name: LoadedPort(
            framework="onnx",
            graph=normal.read(form),
            normal=ir.to_proto(form).SerializeToString(),
        )
        for name, form in forms.items()
    }


def together(ports: dict[str, LoadedPort]) -> list[Parity | None]:
    models = {name: port.normal for name, port in ports.items()}
    return parity.compare_together(models, pairs(ports))


def pairs(ports: dict[str, LoadedPort]) -> list[tuple[str, str, diff.Diff]]:
    named = [("one", "renamed"), ("one", "average"), ("average", "renamed")]
    return [(a, b, diff.compare(ports[a].graph, ports[b].graph)) for a, b in named]


def without_time(result: Parity) -> Parity:
    return msgspec.structs.replace(result, seconds=0.0)


def test_what_a_server_does_before_its_first_pair_needs_nothing():
    worker.preload()  # a server would hide an error, and each pair take longer


def test_each_is_what_it_is_alone(ports):
    for (a, b, structure), found in zip(pairs(ports), together(ports), strict=True):
        alone = parity.compare(ports[a].normal, ports[b].normal, structure)
        assert found is not None and without_time(found) == without_time(alone)
        assert found.verdict == ("holds" if "average" not in (a, b) else "diverges")


def test_a_pair_that_fails_is_left_to_a_process_of_its_own(ports):
    broken = msgspec.structs.replace(ports["average"], normal=b"\x08\xff\xff")
    first, *others = together(ports | {"average": broken})
    assert first is not None and first.verdict == "holds" and others == [None, None]


def test_so_are_all_that_a_process_did_not_come_to(ports, monkeypatch):
    monkeypatch.setattr(parity, "_WORKER", "a_module_that_is_missing")
    assert together(ports) == [None, None, None]


def test_and_those_behind_one_that_took_long(ports, monkeypatch, tmp_path):
    monkeypatch.setattr(worker, "_LONG", 0.0)
    for name, port in ports.items():
        (tmp_path / name).write_bytes(port.normal)
    requests = [parity.PairRequest(a=a, b=b, diff=structure) for a, b, structure in pairs(ports)]
    request = parity.PairsRequest(folder=str(tmp_path), pairs=tuple(requests))
    (tmp_path / "request.json").write_bytes(msgspec.json.encode(request))
    worker.main(tmp_path)
    assert [(tmp_path / parity.result_file(index)).exists() for index in range(3)] == [
        True,
        False,
        False,
    ]
