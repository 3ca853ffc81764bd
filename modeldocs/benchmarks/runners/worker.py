"""The worker process of a pass: it measures a port, and writes a `PassOutcome`.

`modeldocs.benchmarks.runner` runs it by `modeldocs.isolation`.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import msgspec

from modeldocs import isolation
from modeldocs.benchmarks.request import PassOutcome, PassTask
from modeldocs.benchmarks.runners import passes
from modeldocs.errors import Failure, ModeldocsError, first_line


def main(folder: Path) -> None:
    """Run the pass that `request.json` in `folder` asks for, and write its result there."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    task = msgspec.json.decode((folder / "request.json").read_bytes(), type=PassTask)
    (folder / "request.json").unlink()
    try:
        outcome = passes.outcome(task)
    except ModeldocsError as error:
        outcome = PassOutcome(failure=Failure.of(error))
    except Exception as error:
        defect = ModeldocsError(
            f"the {task.measure} pass failed with {type(error).__name__}: {first_line(error)}",
            file=task.request.load.source,
            fix="this is a defect of modeldocs; report it with the file",
        )
        outcome = PassOutcome(failure=Failure.of(defect, error))
    isolation.write_result(folder, outcome)
