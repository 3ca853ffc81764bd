"""What a user is told of what a port's own code raises."""

from __future__ import annotations

from modeldocs.loaders import LoadRequest, callables

REQUEST = LoadRequest(root=".", path="net.py", name="net")


def told(error: BaseException):
    return callables.failure(REQUEST, error, "building it")


def test_a_download_says_how_to_turn_it_off():
    error = OSError("<urlopen error [Errno -3] Temporary failure in name resolution>")
    assert "pretrained: false" in str(told(error).fix)


def test_a_first_line_that_announces_the_second_is_told_with_it():
    error = ValueError("cannot broadcast inputs of the following shapes:\n  (1, 3), (1, 4)\nin Add")
    expected = "building it raised ValueError: cannot broadcast inputs of the following shapes: "
    assert told(error).reason == expected + "(1, 3), (1, 4)"
