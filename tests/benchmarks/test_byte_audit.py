"""Bytes copied to a device, told by what they are."""

from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks.copy_accounting import audit

ALEXNET = 61_100_840 * 4
BATCH = 32 * 3 * 224 * 224 * 4


def test_parameters_copied_once_are_found():
    found = audit(244_403_360, ALEXNET, None)
    assert (found.states, found.inputs, found.rest) == (1, 0, 0)
    assert found.matches


def test_a_batch_a_step_is_found():
    found = audit(4 * 19_267_584, 102_440_608, BATCH)
    assert (found.states, found.inputs, found.rest) == (0, 4, 0)
    assert found.matches


def test_bytes_that_nothing_explains_are_left_over():
    found = audit(ALEXNET + 50_000_000, ALEXNET, None)
    assert (found.states, found.rest) == (1, 50_000_000)
    assert not found.matches


def test_less_than_the_parameters_is_no_copy_of_them():
    found = audit(1000, ALEXNET, None)
    assert (found.states, found.rest) == (0, 1000)
    assert not found.matches


@given(
    states=st.integers(0, 1), inputs=st.integers(0, 50), state=st.integers(10**6, 10**9),
    batch=st.integers(10**3, 10**7), noise=st.integers(0, 99),
)  # fmt: skip
def test_all_bytes_are_accounted_for(states, inputs, state, batch, noise):
    copied = states * state + inputs * batch + noise
    found = audit(copied, state, batch)
    assert found.states * state + found.inputs * batch + found.rest == copied
    assert 0 <= found.rest <= max(noise, batch - 1)
