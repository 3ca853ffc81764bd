"""What a user is told of what a port's own code raises."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import port_errors

REQUEST = LoadRequest(root=".", path="net.py", name="net")


def told(error: BaseException):
    return port_errors.failure(REQUEST, error, "building it")


def test_a_download_says_how_to_turn_it_off():
    error = OSError("<urlopen error [Errno -3] Temporary failure in name resolution>")
    assert "pretrained: false" in str(told(error).fix)


def test_a_first_line_that_announces_the_second_is_told_with_it():
    error = ValueError("cannot broadcast inputs of the following shapes:\n  (1, 3), (1, 4)\nin Add")
    expected = "building it raised ValueError: cannot broadcast inputs of the following shapes: "
    assert told(error).reason == expected + "(1, 3), (1, 4)"


def test_an_error_of_ours_stays_as_it_is():
    raised = ModeldocsError("has no layers", fix="add one")
    with pytest.raises(ModeldocsError) as caught, port_errors.located(REQUEST, "running it"):
        raise raised
    assert caught.value is raised


def test_what_a_block_of_the_ports_code_raises_names_the_line(tmp_path):
    file = tmp_path / "net.py"
    file.write_text("def build():\n    return 1 / 0\n")
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    request = LoadRequest(root=str(tmp_path), path=str(file), name="net")
    with pytest.raises(ModeldocsError) as caught, port_errors.located(request, "building it"):
        names["build"]()
    assert (caught.value.file, caught.value.line) == ("net.py", 2)
