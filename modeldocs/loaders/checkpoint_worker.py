"""The worker process that tells what a network stores.

It runs in place of `modeldocs.loaders.worker`, in the same way; `given` is a folder with the names
of the tensors whose values are known (`mapped.json`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import reference, worker
from modeldocs.loaders.checkpoint_layout import LAYOUT, OWN
from modeldocs.loaders.worker import WorkRequest

MAPPED = "mapped.json"


def main(folder: Path) -> None:
    """Write the layout of the port that `request.json` in `folder` names, and its own values."""
    worker.work(folder, _write)


def _write(request: WorkRequest, folder: Path) -> None:
    loader: Any = request.instance()
    if not hasattr(loader, "checkpoint"):
        raise ModeldocsError(
            f"checkpoints of {loader.title} are not converted",
            file=request.load.source,
            fix="give a port in Caffe, Chainer, Keras, MXNet, ONNX or PyTorch",
        )
    names = msgspec.json.decode(Path(str(request.given), MAPPED).read_bytes(), type=list[str])
    layout, own = loader.checkpoint(request.load, set(names))
    (folder / LAYOUT).write_bytes(msgspec.json.encode(layout))
    reference.write_arrays(folder / OWN, {"own": own})
