"""What is computed of an object is computed once while it is in use."""

from __future__ import annotations

from modeldocs.cache_last import KEPT, remembered
from modeldocs.ir import LayerGraph


def test_an_object_is_recognised_by_itself_not_by_its_content():
    asked = []
    size = remembered(lambda graph: asked.append(graph) or len(asked))
    one, other = LayerGraph(name="one"), LayerGraph(name="one")
    assert [size(one), size(other), size(one), size(other)] == [1, 2, 1, 2]


def test_the_last_few_are_remembered():
    asked = []
    name = remembered(lambda graph: asked.append(graph.name) or graph.name)
    graphs = [LayerGraph(name=str(number)) for number in range(KEPT + 1)]
    assert [name(graph) for graph in graphs] == [graph.name for graph in graphs]
    assert name(graphs[-1]) == graphs[-1].name and len(asked) == KEPT + 1
    assert name(graphs[0]) == "0" and asked[-1] == "0" and len(asked) == KEPT + 2


def test_all_that_is_passed_by_position_counts():
    asked = []
    pair = remembered(lambda *both: asked.append(both) or len(asked))
    a, b = LayerGraph(name="a"), LayerGraph(name="b")
    assert [pair(a, b), pair(b, a), pair(a, b), pair(a)] == [1, 2, 1, 3]
