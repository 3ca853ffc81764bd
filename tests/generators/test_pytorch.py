"""Each operator of PyTorch's table computes in PyTorch what onnxruntime computes."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.generators.no_program import NoProgramError

from ..normal.nets import Net
from . import running
from .nets import NETS, one

REFUSED = {f"ScatterND, {kind}": f"reduction {kind}" for kind in ("mul", "max", "min")} | {
    "Resize, cubic of another kernel": "another cubic"
}
"""Nets that PyTorch has no functions for, with the reason."""


@pytest.mark.parametrize("name", [name for name in NETS if name not in REFUSED])
def test_it_computes_the_same(name: str) -> None:
    theirs, ours = running.outputs(NETS[name])
    running.assert_close(ours, theirs)


UNSUPPORTED = {
    "an even window of LRN": (Net(one("LRN <size: int = 4> (x)")), "even size"),
    "weights that are not learned": (
        Net(one("Conv (x, w)"), w=np.ones((2, 4, 1, 1), np.float32)),
        "not learned",
    ),
    "an operator that is not in the table": (Net(one("Det (x)", out="float[?,?] y")), "no program"),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_it_has_no_program_for_is_named_with_the_reason(name: str) -> None:
    net, reason = UNSUPPORTED[name]
    with pytest.raises(NoProgramError, match=reason) as caught:
        running.program(net)
    assert net.text.split(" = ")[1].split()[0] in str(caught.value)


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_has_no_function_for_is_named(name: str) -> None:
    with pytest.raises(NoProgramError, match=REFUSED[name]):
        running.program(NETS[name])


def test_most_of_the_table_is_tried() -> None:
    tried = {name.split(",")[0].split()[0] for name in NETS}
    assert len(tried & set(running.PYTORCH.table)) >= 50
