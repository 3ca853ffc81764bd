"""Which pairs of ports are compared: all of a few ports, and a number linear in many."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs import catalog
from modeldocs.ir import LayerGraph
from modeldocs.site.model.compared_ports import compare_ports
from modeldocs.tasks import pairs
from tests.diff.graphs import Net
from tests.ports import build, small, varied

QUICK = {"small": small(), "same": small(), "drop": small(dropout=True), "wide": small(width=8)}


def compared(folder: Path, graphs: dict[str, LayerGraph], patch, manifest: str = "") -> set[str]:
    """The pairs that a build compares, as names of diffs; those that have a page are the same."""
    _, model, results = build(folder, graphs, patch, manifest)
    diffs = {run.name.removeprefix("m/") for run in results.log if run.kind == "diff"}
    assert diffs == {f"{a.name}-vs-{b.name}" for a, b in results.pairs(model)}
    return diffs


def many(count: int) -> dict[str, LayerGraph]:
    return {f"p{number:02}": varied(number) for number in range(count)}


def test_up_to_twelve_ports_are_compared_in_all_pairs(tmp_path, monkeypatch):
    assert len(compared(tmp_path / "12", many(12), monkeypatch)) == 66
    assert len(compared(tmp_path / "13", many(13), monkeypatch)) < 66


@pytest.mark.parametrize("count", [13, 20, 40])
def test_the_pairs_of_many_ports_are_linear_in_them(tmp_path, monkeypatch, count):
    """Each with the reference, each with its nearest: 2 n - 3, and few to tell families apart."""
    found = compared(tmp_path, many(count), monkeypatch)
    assert 2 * count - 3 <= len(found) <= 2 * count + 1
    assert {f"p00-vs-p{number:02}" for number in range(1, count)} <= found


def test_families_are_those_of_all_pairs(tmp_path, monkeypatch):
    ports = many(24)
    few, all_ = (
        compare_ports(*build(tmp_path / name, ports, monkeypatch, manifest)[1:])
        for name, manifest in (("few", ""), ("all", "pairs: all\n"))
    )
    assert [family.ports for family in few.families] == [family.ports for family in all_.families]
    assert [f.differences for f in few.families] == [f.differences for f in all_.families]
    assert (len(few.pairs) < 50, len(all_.pairs), len(few.families)) == (True, 276, 12)
    assert not few.doubts


def joined(epsilon: float, nested: int) -> LayerGraph:
    """Three joins of three branches, of which some are written as two joins, one in the other."""
    net = Net((1, 3, 8, 8))
    value = net.norm(net.conv("input-1", 4, 3), epsilon)
    for number in range(3):
        parts = [net.same(operator, value) for operator in ("Relu", "Sigmoid", "Tanh")]
        value = net.concat(*parts)
        if number < nested:
            net.layers.pop()
            value = net.concat(net.concat(*parts[:2]), parts[2])
    return net.graph(value)


SPELLED = {
    "a": joined(1e-3, 0),
    **{f"b{nested}": joined(1e-4, nested) for nested in range(4)},
    "c0": joined(1e-5, 0),
    "c3": joined(1e-5, 3),
}
"""Three functions; of the last, each spelling is nearer to another function than to the other."""


@pytest.mark.parametrize(
    ("policy", "families", "doubts"),
    [
        ("nearest", [("a",), ("b0", "b1", "b2", "b3"), ("c0", "c3")], 0),
        ("reference", [("a",), ("b0",), ("b1",), ("b2",), ("b3",), ("c0",), ("c3",)], 7),
    ],
)
def test_ports_of_families_that_may_be_one_are_compared_or_told(
    tmp_path, monkeypatch, policy, families, doubts
):
    _, model, results = build(tmp_path, SPELLED, monkeypatch, f"pairs: {policy}\n")
    compared = compare_ports(model, results)
    names = {(a.name, b.name) for a, b in results.pairs(model)}
    assert sorted(family.ports for family in compared.families) == families
    assert (("c0", "c3") in names) == (policy == "nearest")
    assert results.doubts(model) == ((("c0", "c3"),) if policy == "nearest" else ())
    assert len(compared.doubts) == doubts


def test_a_build_again_runs_nothing(tmp_path, monkeypatch):
    build(tmp_path, many(13), monkeypatch)
    _, _, results = build(tmp_path, many(13), monkeypatch)
    assert {run.outcome for run in results.log} == {"stored"}


def test_ports_that_do_not_load_are_in_no_pair(tmp_path, monkeypatch):
    ports = {**many(13), "p00": None, "p05": None}
    names = "-vs-".join(compared(tmp_path, ports, monkeypatch)).split("-vs-")
    assert set(names) == set(many(13)) - {"p00", "p05"}
    assert names.count("p01") >= 10  # in place of the first, which did not load


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ("pairs: reference\n", {"drop-vs-same", "drop-vs-small", "drop-vs-wide"}),
        ("pairs: []\n", {"drop-vs-same", "drop-vs-small", "drop-vs-wide"}),
        (
            "pairs: [[wide, small]]\n",
            {"drop-vs-same", "drop-vs-small", "drop-vs-wide", "small-vs-wide"},
        ),
        (
            "reference: wide\npairs: nearest\n",
            {"wide-vs-drop", "wide-vs-same", "wide-vs-small", "drop-vs-same", "drop-vs-small"},
        ),
    ],
)
def test_model_yml_decides(tmp_path, monkeypatch, manifest, expected):
    assert compared(tmp_path, QUICK, monkeypatch, manifest) == expected


def test_pairs_that_name_no_port_are_a_mistake_of_the_model(tmp_path, monkeypatch):
    manifest = "title: M\npairs:\n  - [small, wide]\n  - [smal, wide]\n  - [wide, wide]\n"
    _, model, _ = build(tmp_path, QUICK, monkeypatch, manifest)
    told = [(failure.line, failure.reason, failure.fix) for failure in model.failures]
    assert told == [
        (4, "`pairs[1]` names the port 'smal', which does not exist", "did you mean `small`?"),
        (5, "`pairs[2]` names the port 'wide' twice", "name two ports"),
    ]


def test_the_models_of_this_repository_are_compared_in_all_pairs():
    models = catalog.read(Path(__file__).parents[2] / "models").models
    assert {pairs.policy(model) for model in models} == {"all"}
