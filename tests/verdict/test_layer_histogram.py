"""The nearest other port, found without a diff."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from modeldocs.verdict.layer_histogram import LayerHistogram, outline, spanning_tree
from tests.diff.graphs import Net
from tests.ports import small

OUTLINES = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9), max_size=6)
PORTS = st.dictionaries(st.text("pqr", min_size=1, max_size=4), OUTLINES, max_size=12).map(
    lambda ports: {name: LayerHistogram(layers=layers) for name, layers in ports.items()}
)


def distance(a: LayerHistogram, b: LayerHistogram) -> int:
    kinds = {*a.layers, *b.layers}
    return sum(abs(a.layers.get(kind, 0) - b.layers.get(kind, 0)) for kind in kinds)


def test_an_outline_has_no_names_and_no_layers_that_do_nothing() -> None:
    assert outline(small()) == outline(small(dropout=True))
    assert sum(outline(small()).layers.values()) == 4


def test_an_outline_tells_settings_and_sizes() -> None:
    assert distance(outline(small()), outline(small(2e-5))) == 2
    assert distance(outline(small()), outline(small(width=8))) == 8


def test_an_outline_does_not_depend_on_the_batch() -> None:
    def net(batch: int) -> Net:
        made = Net((batch, 3, 8, 8))
        made.relu(made.conv("input-1", 4, 3))
        return made

    assert outline(net(1).graph()) == outline(net(16).graph())


@settings(max_examples=80, deadline=None)
@given(PORTS, st.randoms(use_true_random=False))
def test_the_tree_connects_all_and_has_the_nearest_of_each(
    ports: dict[str, LayerHistogram], chance: random.Random
) -> None:
    tree = spanning_tree(ports)
    assert len(tree) == max(0, len(ports) - 1)
    reached = set(list(ports)[:1])
    while more := {name for pair in tree if reached & set(pair) for name in pair} - reached:
        reached |= more
    assert reached == set(ports)
    for name, one in ports.items():
        near = [distance(one, other) for other_name, other in ports.items() if other_name != name]
        mine = [distance(ports[a], ports[b]) for a, b in tree if name in (a, b)]
        assert not near or min(near) == min(mine)
    shuffled = dict(chance.sample(list(ports.items()), len(ports)))
    assert spanning_tree(shuffled) == tree
