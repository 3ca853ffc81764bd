"""Graphs that are large, alike throughout, unlike throughout, or no graphs at all."""

import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import pytest

from modeldocs.diff import CONSEQUENCES, KINDS, compare, decode, encode, schema
from modeldocs.errors import ModeldocsError
from modeldocs.ir import LayerGraph, Operand

from .graphs import Net, alexnet, chain, reordered, resnet50, twins

EMPTY = LayerGraph(name="empty")


def star(length: int, operator: str = "Relu") -> LayerGraph:
    """Layers that all read the one input, and nothing reads them."""
    net = Net((1, 8))
    ends = [net.add(operator, ["input-1"], (1, 8)) for _ in range(length)]
    return net.graph(*ends)


def test_five_thousand_layers_all_alike():
    diff = compare(chain(5000), chain(4990))
    assert [c.title for c in diff.changes] == ["Relu × 10 only in A"]


def test_five_thousand_readers_of_one_input():
    diff = compare(star(5000), star(4000))
    assert len(diff.matches) == 4001
    assert [c.kind for c in diff.changes] == ["rewired"]
    assert diff.changes[0].title == "1,000 outputs only in A"


def test_fifty_thousand_layers_all_alike():
    diff = compare(chain(50_000), chain(49_990))
    assert [c.title for c in diff.changes] == ["Relu × 10 only in A"]


def test_nothing_in_common():
    diff = compare(chain(5000), chain(5000, "Concat"))
    assert [m.a for m in diff.matches] == [("input-1",)]
    assert {c.kind: len(c.pairs) for c in diff.changes} == {"deleted": 5000, "inserted": 5000}


def test_every_activation_is_another():
    diff = compare(chain(5000), chain(5000, "Sigmoid"))
    assert [c.title for c in diff.changes] == ["Relu → Sigmoid in all 5,000 layers"]


def test_one_side_empty():
    assert compare(EMPTY, EMPTY).verdict == "identical"
    diff = compare(EMPTY, chain(3))
    assert {c.kind for c in diff.changes} == {"rewired"}
    assert diff.matches == ()


def test_fifty_thousand_layers_against_three():
    diff = compare(resnet50(blocks=(1250,) * 4), chain(3))
    assert diff.verdict == "different"
    assert diff.a.layers == 50_014
    assert diff.unchanged <= 3


def test_fifty_thousand_layers_with_one_epsilon():
    blocks = (1250,) * 4
    diff = compare(resnet50(blocks=blocks), resnet50(blocks=blocks, epsilon=2e-5))
    assert [c.title for c in diff.changes] == [
        "epsilon 1e-5 → 2e-5 in all 15,005 BatchNormalization layers"
    ]


def test_a_graph_in_several_pieces():
    net = Net((1, 8), (1, 8), (1, 8))
    ends = [net.relu(net.same("Tanh", f"input-{n}")) for n in (1, 2, 3)]
    graph = net.graph(*ends)
    assert compare(graph, reordered(graph, 1)).verdict == "identical"


def test_pieces_that_only_one_side_has():
    def pieces(count: int) -> LayerGraph:
        net = Net(*[(1, 8)] * count)
        return net.graph(*[net.relu(net.same("Tanh", f"input-{n + 1}")) for n in range(count)])

    diff = compare(pieces(60), reordered(pieces(57), 4))
    assert {change.kind for change in diff.changes} == {"rewired"}
    assert len(diff.matches) == 57 * 3


def test_many_branches_that_nothing_tells_apart():
    graph = twins(200, 2)
    assert compare(graph, reordered(graph, 7)).changes == ()


def rewritten(graph: LayerGraph, index: int, **fields) -> LayerGraph:
    layers = list(graph.layers)
    layers[index] = msgspec.structs.replace(layers[index], **fields)
    return msgspec.structs.replace(graph, layers=tuple(layers))


def reading(graph: LayerGraph, value: str) -> tuple[Operand, ...]:
    return (msgspec.structs.replace(graph.layers[0].inputs[0], value=value),)


def test_a_circle_is_an_error():
    graph = chain(3)
    broken = rewritten(graph, 0, inputs=reading(graph, "relu-3"))
    with pytest.raises(ModeldocsError, match="circle"):
        compare(broken, graph)


def test_an_operand_that_is_not_there_is_an_error():
    graph = chain(3)
    broken = rewritten(graph, 0, inputs=reading(graph, "conv-9"))
    with pytest.raises(ModeldocsError, match="'relu-1' reads 'conv-9'"):
        compare(graph, broken)


def test_two_layers_of_one_id_are_an_error():
    with pytest.raises(ModeldocsError, match="the id 'relu-1'"):
        compare(rewritten(chain(3), 1, id="relu-1"), chain(3))


def test_json_round_trip_and_schema():
    diff = compare(resnet50(softmax=True, epsilon=1.1e-5), alexnet())
    assert decode(encode(diff)) == diff
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.validate(msgspec.json.decode(encode(diff)), schema())
    assert {c.kind for c in diff.changes} <= set(KINDS)
    assert [c.consequence for c in diff.changes] == sorted(
        (c.consequence for c in diff.changes), key=CONSEQUENCES.index
    )


def test_the_same_bytes_whatever_the_hash_seed():
    code = (
        "import sys; from diff.graphs import *; from modeldocs.diff import *;"
        "a, b = inception(4), reordered(inception(3, scale=False, count_pads=1), 2);"
        "sys.stdout.buffer.write(encode(compare(a, b)))"
    )
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here.parent), str(here.parents[1])])
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(told) == 1
    assert told.pop()
