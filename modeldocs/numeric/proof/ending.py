"""What a network returns, where its framework's run ends before that, in a process of its own.

OpenCV leaves out a softmax at the end of a Caffe network: it is computed from where the run ended.
"""

from __future__ import annotations

from pathlib import Path

from modeldocs.loaders import reference
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.proof import step, ties
from modeldocs.struct import Struct

OUTPUTS = "outputs.npz"
"""The file of the outputs, in order."""


class EndingRequest(Struct, frozen=True):
    """The folder of a framework's run."""

    run: str


def main(folder: Path) -> None:
    """Write the outputs of the run that `request.json` in `folder` names beside it."""
    step.run(folder, EndingRequest, _end)


def _end(request: EndingRequest, folder: Path) -> None:
    model, run = reference.read(Path(request.run))
    names = [str(value.name) for value in model.graph.outputs]
    absent = [name for name in names if name not in run.outputs]
    feeds = dict(run.inputs)
    for value in [value for node in model.graph for value in node.outputs]:
        array = run.outputs.get(str(value.name))
        if array is not None:
            feeds |= ties.feed(model.graph, value, array)
    known = run.outputs | runtime.run(model, feeds, absent)
    reference.write_arrays(folder / OUTPUTS, {"outputs": {name: known[name] for name in names}})
