"""The worker process of a proof: runs one port in its framework, and leaves what it computed.

Run in place of `modeldocs.loaders.worker`, in the same way.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx_ir as ir

from modeldocs.loaders import reference, weights, worker
from modeldocs.loaders.reference import Designed
from modeldocs.loaders.worker import WorkRequest
from modeldocs.proof import designing


def main(folder: Path) -> None:
    """Prove what `request.json` in `folder` asks for."""
    worker.work(folder, prove)


def prove(request: WorkRequest, folder: Path, *, small: bool = False) -> None:
    """Leave one run of a port, with values of that design."""
    loader: Any = request.made()
    designed = []

    def design(model: ir.Model) -> Designed:
        designed.append(designing.design(model, small=small))
        return designed[-1]

    model, held = loader.prove(request.load, design)
    held = replace(held, torn=any(made.torn for made in designed))
    reference.write(weights.without(model), held, folder)
