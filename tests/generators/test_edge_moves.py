"""A chain of steps is written as the fewest that move the values alike."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.generators import edge_moves
from modeldocs.ir import Reshape, Step, Transpose


@st.composite
def chains(draw: st.DrawFn) -> tuple[tuple[int, ...], list[Step]]:
    """A shape, and steps that can follow one another from it."""
    start = shape = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)))
    steps: list[Step] = []
    for _ in range(draw(st.integers(0, 5))):
        if draw(st.booleans()):
            order = tuple(draw(st.permutations(range(len(shape)))))
            steps.append(Transpose(order))
            shape = tuple(shape[axis] for axis in order)
        else:
            after = draw(st.sampled_from(_shapes(math.prod(shape))))
            steps.append(Reshape(before=shape, after=after))
            shape = after
    return start, steps


def _shapes(size: int) -> list[tuple[int, ...]]:
    pairs = [(a, size // a) for a in range(1, size + 1) if size % a == 0]
    return [(size,), *pairs, *((a, 1, b) for a, b in pairs), *((a, b, 1) for a, b in pairs)]


def _moved(array: np.ndarray, steps: list[Step]) -> np.ndarray:
    for step in steps:
        if isinstance(step, Transpose):
            array = array.transpose(step.permutation)
        else:
            assert isinstance(step, Reshape)
            array = array.reshape(step.after)
    return array


@given(chains())
def test_it_moves_the_values_alike_in_no_more_steps(chain) -> None:
    shape, steps = chain
    array = np.arange(math.prod(shape)).reshape(shape)
    fewest = list(edge_moves.fewest(shape, steps))
    np.testing.assert_array_equal(_moved(array, fewest), _moved(array, steps))
    assert len(fewest) <= len(steps)
