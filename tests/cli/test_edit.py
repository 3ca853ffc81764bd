"""`modeldocs edit`: what follows from changes, and the program of the changed network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = [pytest.mark.usefixtures("loads_once"), pytest.mark.xdist_group("edit command")]

NET = "models/net/caffe.prototxt"


def test_what_follows_is_printed_as_a_diff_with_both_totals(folder: Path, run) -> None:
    result = run("edit", NET, "--set", "conv.channels=8", "--set", "conv.kernel_shape=5")
    assert result.exit_code == 0, result.output
    rows = " ".join(result.stdout.split())
    assert f"A {NET} 2 112 0 3,888" in rows
    assert "B edited 2 608 0 9,600" in rows
    assert "4 → 8 outputs in one Conv layer (conv)" in rows
    assert "kernel_shape 3 → 5 in one Conv layer (conv)" in rows


def test_edits_are_applied_in_the_order_of_their_options(folder: Path, run) -> None:
    insert = ("--insert", "after=conv:Conv:channels=6:name=extra")
    words = ("--set", "extra.channels=7", "--remove", "relu")
    assert "6 → 7" not in run("edit", NET, *insert, *words).stdout
    refused = run("edit", NET, *words, *insert)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "no layer or block is called 'extra'" in refused.stderr


def test_the_program_of_the_edited_network_is_proven(folder: Path, run) -> None:
    edits = ("--set", "relu.operator=Gelu", "--input", "data=1,3,12,12")
    result = run("edit", NET, *edits, "--to", "pytorch", "-o", "made.py")
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    code = Path("made.py").read_text()
    assert "Edited: set relu.operator=Gelu; input data=1,3,12,12." in code
    assert "Proven: the same layers" in code
    assert 'INPUTS = {"data": (1, 3, 12, 12)}' in code
    same = run("edit", NET, *edits, "--to", "pytorch", "--no-proof").stdout
    assert same.partition("import torch")[2] == code.partition("import torch")[2]


def test_the_diff_may_be_json_and_a_report(folder: Path, run) -> None:
    result = run("edit", NET, "--remove", "relu", "--json", "--html", "report.html")
    assert json.loads(result.stdout)["b"]["layers"] == 1
    assert "relu" in Path("report.html").read_text()


def test_a_layer_that_no_longer_fits_is_told_with_its_line(folder: Path, refused) -> None:
    told = refused("edit", NET, "--input", "data=1,3,2,2")
    assert "caffe.prototxt:3: 'conv' (Conv) would have an output of 1×4×0×0" in told
    assert "fix: " in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "no edit is given"),
        (("--remove", "relu", "-o", "made.py"), "add --to"),
        (("--set", "conv"), "write --set conv-3.strides=2,2"),
        (("--remove", "cov"), "did you mean conv"),
        (("--remove", "relu", "--to", "fortran"), "use one of flax, keras, onnx, pytorch"),
    ],
)
def test_what_is_missing_is_told(words: tuple[str, ...], told: str, folder: Path, refused) -> None:
    assert told in refused("edit", NET, *words)
