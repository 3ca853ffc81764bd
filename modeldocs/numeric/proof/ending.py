"""What a network returns, where its framework's run ends before that, in a process of its own.

OpenCV leaves out a softmax at the end of a Caffe network: it is computed from where the run ended.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from modeldocs import isolation
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.loaders import reference
from modeldocs.numeric.execution import runtime
from modeldocs.numeric.proof import ties
from modeldocs.struct import Struct

OUTPUTS = "outputs.npz"
"""The file of the outputs, in order."""


class EndingRequest(Struct, frozen=True):
    """The folder of a framework's run."""

    run: str


class Ending(Struct, frozen=True):
    """How it ended."""

    failure: Failure | None = None


def main(folder: Path) -> None:
    """Write the outputs of the run that `request.json` in `folder` names beside it."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=EndingRequest)
    failure = None
    try:
        _end(Path(request.run), folder / OUTPUTS)
    except ModeldocsError as error:
        failure = Failure.of(error)
    isolation.write_result(folder, Ending(failure))


def _end(run_folder: Path, file: Path) -> None:
    model, run = reference.read(run_folder)
    names = [str(value.name) for value in model.graph.outputs]
    absent = [name for name in names if name not in run.outputs]
    feeds = dict(run.inputs)
    for value in [value for node in model.graph for value in node.outputs]:
        array = run.outputs.get(str(value.name))
        if array is not None:
            feeds |= ties.feed(model.graph, value, array)
    known = run.outputs | runtime.run(model, feeds, absent)
    reference.write_arrays(file, {"outputs": {name: known[name] for name in names}})
