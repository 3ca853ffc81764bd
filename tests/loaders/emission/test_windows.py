"""How many windows convolutions and pools have, and how ONNX is told of them."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from modeldocs.loaders.emission.windows import Window, WindowSpan, averaged, pooled, same

small = st.integers(1, 9)


@given(small, small, small, st.integers(0, 4), st.integers(1, 3))
def test_a_transposed_convolution_leads_back(size, kernel, stride, pad, dilation):
    window = Window([kernel], [stride], [pad], [dilation])
    [made] = window.backward([size])
    assert window.forward([made]) == (size,)


@given(small, small, small, st.integers(0, 4), st.booleans(), st.booleans())
def test_end_pads_leave_no_window_over_the_end(size, kernel, stride, pad, ceil, clips):
    span = WindowSpan(size, kernel, stride, pad, ceil=ceil, clips=clips)
    assume(span.fits)
    begin, end = pooled([span])["pads"]
    exact = WindowSpan(size + begin + end, kernel, stride, 0, ceil=False)
    assert exact.count == span.count


@given(small, small, small, st.integers(0, 4))
def test_an_overhang_is_not_counted_and_pads_are(size, kernel, stride, pad):
    span = WindowSpan(size, kernel, stride, pad, clips=pad > 0)
    assume(span.fits)
    made = averaged([span], counts=pad > 0)
    assert made is not None
    assert ("ceil_mode" in made) == (pad > 0 and span.overhang > 0)
    if "ceil_mode" in made:
        assert made["pads"] == [pad, pad]


def test_the_slack_of_an_axis_beside_one_that_hangs_over_goes():
    over, short = WindowSpan(6, 3, 2, 1), WindowSpan(8, 3, 4, 1, ceil=False)
    assert (over.overhang, short.slack) == (1, 3)
    assert averaged([over, short], counts=True) is None
    short = WindowSpan(8, 4, 3, 1, ceil=False)
    assert short.slack == 0
    made = averaged([over, short], counts=True)
    assert made is not None
    assert made["pads"] == [1, 1, 1, 1]


def test_same_pads_so_that_there_are_as_many_windows_as_strides_the_odd_pad_at_the_end():
    assert same([5, 8], [3, 3], [2, 2], [1, 1]) == [1, 0, 1, 1]
    assert same([7], [3], [1], [2]) == [2, 2]
    assert same([4], [2], [4], [1]) == [0, 0]
