"""Orders of elements told by factors of axes are the orders that numpy gives."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.diff.function.arrangement import KEPT, Arrangement, factored

SIZES = (1, 2, 3, 4, 6)
shapes = st.lists(st.sampled_from(SIZES), min_size=1, max_size=4).map(tuple)


def regrouped(shape, cuts):
    """A shape of the same elements, of which axes are joined or taken apart."""
    primes = [p for dim in shape for p in {4: (2, 2), 6: (2, 3), 1: ()}.get(dim, (dim,))]
    found, dim = [], 1
    for prime, cut in zip(primes, cuts, strict=False):
        dim *= prime
        if cut:
            found, dim = [*found, dim], 1
    rest = prod(shape) // prod(found)
    return (*found, rest)


@st.composite
def views(draw, shape=None):
    """A source's shape, a view of it, and the places of the view's elements in the source."""
    shape = draw(shapes) if shape is None else shape
    view, places = KEPT, np.arange(prod(shape)).reshape(shape)
    for _ in range(draw(st.integers(0, 3))):
        sizes = regrouped(places.shape, draw(st.lists(st.booleans(), min_size=8, max_size=8)))
        axes = draw(st.permutations(range(len(sizes))))
        turned = view.transposed(sizes, axes)
        if turned is not None:
            view, places = turned, places.reshape(sizes).transpose(axes)
    return view, places


def told(view: Arrangement, size: int):
    return np.arange(size).reshape(view.sizes or (size,)).transpose(view.order or (0,)).ravel()


@given(views())
def test_a_view_has_the_places_that_numpy_gives(held):
    view, places = held
    assert (told(view, places.size) == places.ravel()).all()
    assert (told(view.simplified(), places.size) == places.ravel()).all()
    assert (told(view.inverse(), places.size)[places.ravel()] == np.arange(places.size)).all()


@given(views())
def test_what_is_put_back_is_kept(held):
    view, _ = held
    assert view.seen_from(view) == KEPT


@given(st.data(), shapes)
def test_one_view_told_from_another(data, shape):
    one, ours = data.draw(views(shape))
    other, theirs = data.draw(views(shape))
    found = other.seen_from(one)
    if found is not None:
        assert (ours.ravel()[told(found, ours.size)] == theirs.ravel()).all()


@given(views(), st.lists(st.booleans(), min_size=8, max_size=8))
def test_two_shapes_are_made_of_the_same_factors(held, cuts):
    view, places = held
    shape = regrouped(places.shape, cuts)
    common = factored(view, (places.size,), shape)
    if common is None:
        return
    assert [common.size(group) for group in common.theirs] == list(shape)
    order = [one for group in common.theirs for one in group]
    found = np.arange(places.size).reshape(common.sizes or (1,)).transpose(order or (0,))
    assert (found.ravel() == places.ravel()).all()


def test_axes_that_are_put_back_may_be_cut_elsewhere():
    windows = KEPT.transposed((2, 7, 2, 7), (0, 2, 1, 3))
    image = windows.transposed((2, 2, 7, 7), (0, 2, 1, 3))
    assert image.transposed((7, 2, 7, 2), (0, 2, 1, 3)) == KEPT.transposed(
        (7, 2, 7, 2), (0, 2, 1, 3)
    )
