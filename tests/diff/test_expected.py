"""Known answers about ports of our catalog: all of each is told, and nothing else."""

import pytest

from modeldocs.diff import compare

from . import expected
from .graphs import chain


@pytest.mark.parametrize("path", expected.files(), ids=lambda path: path.stem)
def test_a_diff_tells_what_is_known_and_nothing_else(path, loaded):
    known = expected.read(path)
    a, b = (loaded(*port.split("/")).graph for port in (known.a, known.b))
    outcome = expected.check(known, a, b, compare(a, b))
    if not outcome.right:
        pytest.fail(f"{known.a} against {known.b}\n{outcome}", pytrace=False)


@pytest.mark.parametrize("path", expected.files(), ids=lambda path: path.stem)
def test_of_equal_pairs_every_line_is_known(path):
    known = expected.read(path)
    assert known.verdict != "equivalent" or not known.allow


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
