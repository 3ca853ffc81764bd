"""The worker process of a proof: runs one port in its framework, and writes its reference.

It runs in place of `modeldocs.loaders.worker`, in the same way.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx_ir as ir

from modeldocs.loaders import reference, weights, worker
from modeldocs.loaders.reference import Designed
from modeldocs.loaders.worker import WorkRequest
from modeldocs.numeric.proof import design


def main(folder: Path) -> None:
    """Run the port that `request.json` in `folder` names."""
    worker.work(folder, do)


def do(request: WorkRequest, folder: Path, *, small: bool = False) -> None:
    """Write one run of a port, with designed or with small values."""
    loader: Any = request.instance()
    designs = []

    def design_values(model: ir.Model) -> Designed:
        designs.append(design.design(model, small=small))
        return designs[-1]

    model, run = loader.prove(request.load, design_values)
    run = replace(run, needs_small_run=any(one.needs_small_run for one in designs))
    reference.write(weights.without(model), run, folder)
