"""The worker process of runs with given values: weights and inputs that were designed elsewhere.

It runs in place of `modeldocs.loaders.worker`, in the same way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modeldocs.loaders import reference, weights, worker
from modeldocs.loaders.reference import Designed
from modeldocs.loaders.worker import WorkRequest


def main(folder: Path) -> None:
    """Run the port that `request.json` in `folder` names with each file of its folder `given`."""
    worker.work(folder, do)


def do(request: WorkRequest, folder: Path) -> None:
    """Write one run of the port of a request for each file of its folder `given`."""
    loader: Any = request.instance()
    files = sorted(Path(str(request.given)).glob("*.npz"))
    runs = loader.prove(request.load, lambda _: map(_given, files))
    for file, (model, run) in zip(files, runs, strict=True):
        place = folder / file.stem
        place.mkdir()
        reference.write(weights.without(model), run, place)


def _given(file: Path) -> Designed:
    arrays = reference.read_arrays(file)
    return Designed(arrays["parameters"], arrays["inputs"], by_layer=False)
