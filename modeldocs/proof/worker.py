"""The worker process of a proof: runs one port in its framework, and leaves what it computed.

Run in place of `modeldocs.loaders.worker`, in the same way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modeldocs.loaders import reference, weights, worker
from modeldocs.loaders.worker import WorkRequest
from modeldocs.proof.designing import design


def main(folder: Path) -> None:
    """Prove what `request.json` in `folder` asks for."""
    worker.work(folder, _prove)


def _prove(request: WorkRequest, folder: Path) -> None:
    loader: Any = request.made()
    model, held = loader.prove(request.load, design)
    reference.write(weights.without(model), held, folder)
