"""Known answers about ports of our catalog: all of each is told, and nothing else.

`make known` holds every pair against its answer; `make test` all but those of `SELDOM`.
"""

import pytest

from modeldocs.diff import compare

from . import expected
from .graphs import chain

SELDOM = (
    "bert-base-pytorch-keras",
    "densenet121-keras-pytorch",
    "inception-v3-keras-pytorch",
    "inception-v3-mxnet-pytorch",
)
"""Pairs of large ports that nothing else loads, of two frameworks and changes that others have."""


@pytest.mark.parametrize("path", expected.files(), ids=lambda path: path.stem)
def test_a_diff_tells_what_is_known_and_nothing_else(path, loaded, request):
    if path.stem in SELDOM and not request.config.getoption("--every-pair"):
        pytest.skip("make known holds it against its answer")
    known = expected.read(path)
    a, b = (loaded(*port.split("/")).graph for port in (known.a, known.b))
    outcome = expected.check(known, a, b, compare(a, b))
    if not outcome.right:
        pytest.fail(f"{known.a} against {known.b}\n{outcome}", pytrace=False)


@pytest.mark.parametrize("path", expected.files(), ids=lambda path: path.stem)
def test_of_equal_pairs_every_line_is_known(path):
    known = expected.read(path)
    assert known.verdict != "equivalent" or not known.allow


def test_pairs_that_are_seldom_loaded_are_like_others():
    """A pair that is always loaded has the same two frameworks, and some have its changes."""
    known = {path.stem: expected.read(path) for path in expected.files()}
    always = [one for name, one in known.items() if name not in SELDOM]
    frameworks = {frozenset(names_of_ports(one)) for one in always}
    operators = {line.operator for one in always for line in one.changes}
    for name in SELDOM:
        assert frozenset(names_of_ports(known[name])) in frameworks, name
        assert {line.operator for line in known[name].changes} <= operators, name


def names_of_ports(known):
    """The names of the two ports, which are those of frameworks where a model has one of each."""
    return [port.partition("/")[2] for port in (known.a, known.b)]


def test_a_line_of_spelling_that_is_missed_is_wrong():
    graph = chain(2)
    line = expected.Line(kind="deleted", consequence="spelling", operator="Dropout", layers=1)
    known = expected.Expected(
        a="a",
        b="b",
        source="one graph",
        written="before",
        verdict="equivalent",
        weighted=0,
        parameters=(0, 0),
        spelling=(line,),
    )
    wrong = expected.check(known, graph, graph, compare(graph, graph)).wrong
    assert any("spelling is missed: kind deleted" in sentence for sentence in wrong)
