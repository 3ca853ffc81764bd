"""An error is one sentence, whatever the exception that it tells of holds."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError, first_line

LOUD = "\x1b[1m\x1b[31mFailed\x1b[0m to export:\nmore of it"


def test_colours_and_line_breaks_of_a_library_are_left_out():
    assert first_line(RuntimeError(LOUD)) == "Failed to export:"
    assert str(ModeldocsError(LOUD)) == "Failed to export: more of it"


@pytest.mark.parametrize("text", ["", "\n\n", "\x1b[0m\n"])
def test_an_exception_that_says_nothing_has_no_first_line(text):
    assert first_line(RuntimeError(text)) == ""


def test_a_first_line_fits_a_sentence():
    assert len(first_line(RuntimeError("a" * 10_000))) == 300
