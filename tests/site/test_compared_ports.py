"""The port that others are compared with, and its rows, whether the reference loaded or not."""

from __future__ import annotations

import html
import re
from typing import cast

import pytest

from modeldocs import diff as engine
from modeldocs import verdict
from modeldocs.catalog import Model, Port
from modeldocs.catalog.manifest import Manifest
from modeldocs.diff import Diff
from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph
from modeldocs.loaders import LoadRequest
from modeldocs.site.model import port_rows
from modeldocs.site.model.compared_ports import compare_ports
from modeldocs.site.templating import Templates
from modeldocs.tasks.load import Load
from modeldocs.tasks.pairs import Pairs, every
from modeldocs.tasks.results import Results

from ..diff.graphs import Net


def graph(epsilon: float = 1e-5) -> LayerGraph:
    net = Net((1, 3, 8, 8))
    net.relu(net.norm(net.conv("input-1", 4, 3), epsilon))
    return net.graph()


class Graphs:
    """Results of a build that loaded some ports and ran none; None is a port that failed."""

    def __init__(self, graphs: dict[str, LayerGraph | None]) -> None:
        self.graphs = graphs

    def graph(self, _: Model, port: Port) -> LayerGraph | None:
        return self.graphs[port.name]

    def pairs(self, model: Model) -> Pairs:
        return every(model, model.ports)

    def diff(self, _: Model, a: Port, b: Port) -> Diff | None:
        ours, theirs = self.graphs[a.name], self.graphs[b.name]
        return engine.compare(ours, theirs) if ours and theirs else None

    def parity(self, *_: object) -> None:
        return None

    def proof(self, *_: object) -> None:
        return None

    def loaded(self, _: Model, port: Port) -> Load:
        failed = self.graphs[port.name] is None
        return Load(framework="onnx", failure=Failure(reason="is no model") if failed else None)


def page(reference: str | None, **graphs: LayerGraph | None) -> tuple[list[str], str]:
    """The order of a model's rows of ports, and the words of their table."""
    request = LoadRequest(root="", path="", name="")
    ports = tuple(Port(name=name, framework="onnx", request=request) for name in sorted(graphs))
    model = Model(id="m", folder="m", manifest=Manifest(reference=reference), ports=ports)
    results = cast(Results, Graphs(graphs))
    compared = compare_ports(model, results)
    rows = port_rows.rows(model, results, compared, "models/m")
    made = Templates().html("ports", rows=rows, compared=compared)
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", made)).split())
    return [row.port.text for row in rows], text


def test_the_reference_comes_first_and_the_others_by_family() -> None:
    order, text = page("b", a=graph(1e-3), b=graph(), c=graph())
    assert order == ["b", "c", "a"]
    assert "b reference ONNX" in text
    assert "c ONNX not tried ≟ by structure compared by structure only" in text
    assert "a ONNX not tried ≠ different ε 0.001 compared by structure only" in text


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (None, "No reference is set in model.yml: ports are compared with b"),
        ("a", "The reference, a, could not be loaded: ports are compared with b"),
    ],
)
def test_the_first_that_loaded_stands_in_for_a_reference(reference: str | None, said: str) -> None:
    order, text = page(reference, a=None, b=graph(), c=graph())
    assert order == ["b", "c", "a"]
    assert said in text
    assert "ONNX – not loaded is no model" in text
    assert ("reference ONNX" in text) == (reference == "a")


def test_a_model_of_one_port_is_compared_with_nothing() -> None:
    order, text = page("a", a=graph())
    assert order == ["a"]
    assert "Against" not in text
    assert page("a", a=None, b=None)[0] == ["a", "b"]
    assert verdict.families([], [], "") == ()
