"""The worker process of a proof: runs one port in its framework, and writes its references.

It runs in place of `modeldocs.loaders.worker`, in the same way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modeldocs.loaders import reference, weights, worker
from modeldocs.loaders.worker import WorkRequest
from modeldocs.numeric.proof.design import designs


def main(folder: Path) -> None:
    """Run the port that `request.json` in `folder` names."""
    worker.work(folder, do)


def do(request: WorkRequest, folder: Path) -> None:
    """Write the runs of a port with designed values, each to a folder: `0`, and `1` if needed."""
    loader: Any = request.instance()
    for index, (model, run) in enumerate(loader.prove(request.load, designs)):
        place = folder / str(index)
        place.mkdir()
        reference.write(weights.without(model), run, place)
