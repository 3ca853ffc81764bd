"""Workers that are real processes of a data-parallel run, and run code of a test in place of
training: what becomes of a worker does not hang on the framework, which takes seconds to import.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import SimpleNamespace

from modeldocs.benchmarks.runners import ddp
from modeldocs.benchmarks.world import Worker, WorldRequest

_TRAINING = "modeldocs.benchmarks.runners.pytorch.ddp_worker"


def main(folder: Path) -> None:
    """Run the workers of `request.json`; the second one runs the code in the file of the port."""
    sys.modules[_TRAINING] = SimpleNamespace(measure=_measure)
    ddp.main(folder)


def _measure(request: WorldRequest, rank: int, folder: Path) -> Worker:
    if rank == 1:
        exec(Path(str(request.run.load.path)).read_text(), {})
    while True:  # as a worker that waits for the other one's gradients
        time.sleep(60)
