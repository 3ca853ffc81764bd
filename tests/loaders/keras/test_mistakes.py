"""Mistakes in a port are told with its line, the reason and the fix."""

from __future__ import annotations


def told(session, name):
    failure = session.failure(name)
    return failure["file"], failure.get("line"), failure["reason"], failure["fix"]


def test_a_port_that_raises(session):
    file, line, reason, _ = told(session, "raising")
    assert (file, line) == ("keras.py", 4)
    assert "expected a positive integer" in reason.lower()


def test_a_callable_that_gives_no_model(session):
    assert session.failure("nothing")["reason"] == (
        "the entry point returned int, not a keras.Model"
    )


def test_a_model_without_a_shape(session):
    _, _, reason, fix = told(session, "shapeless")
    assert reason == "no input shape is given"
    assert "INPUTS" in fix and "--input" in fix


def test_a_shape_that_does_not_fit(session):
    assert (
        "has the shape (None, 8, 8, 3), which (1, 3, 8, 8) does not fit"
        in (session.failure("wrong_shape")["reason"])
    )


def test_functions_of_other_packages_in_a_subclassed_model(session):
    file, line, reason, fix = told(session, "symbolic")
    assert (file, line) == ("keras.py", 9)
    assert "NotImplementedError: Cannot convert a symbolic tf.Tensor" in reason
    assert "keras.ops" in fix and "SavedModel" in fix


def test_models_that_call_each_other_without_end(session):
    assert "more than 30,000 times" in session.failure("many_calls")["reason"]
