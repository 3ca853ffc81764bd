"""Known answers about ports of our catalog: all of each is told, and nothing else."""

import pytest

from modeldocs.diff import compare

from . import expected


@pytest.mark.parametrize("path", expected.files(), ids=lambda path: path.stem)
def test_a_diff_tells_what_is_known_and_nothing_else(path, loaded):
    known = expected.read(path)
    a, b = (loaded(*port.split("/")).graph for port in (known.a, known.b))
    outcome = expected.check(known, a, b, compare(a, b))
    if not outcome.right:
        pytest.fail(f"{known.a} against {known.b}\n{outcome}", pytrace=False)
