"""What nobody foresaw, from any stage of any command: one sentence, and exit code 2."""

from __future__ import annotations

import pytest

from modeldocs.tasks import diff


@pytest.mark.parametrize(
    "error", [ValueError("no alignment\nat all"), KeyError("x"), RecursionError()]
)
def test_it_is_told_with_its_place_and_what_to_report(folder, refused, monkeypatch, error):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(diff, "compare", fail)
    output = refused("diff", "net/caffe", "net/caffe")
    assert output.startswith(f"modeldocs: failed with {type(error).__name__}")
    assert "this is a defect of modeldocs" in output and "report it" in output
    assert "at all" not in output


def test_a_mistake_of_the_caller_is_none(folder, run):
    assert run("diff", "net/caffe").exit_code == 2
    assert "defect" not in run("diff", "net/caffe").output
