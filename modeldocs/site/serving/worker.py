"""The process of one comparison: `python -m modeldocs.site.serving.worker FOLDER`.

It waits for `start` on its standard input, reads `plan.json`, and leaves `outcome.json`, and where
it succeeds `report.html` and `diff.json`, in the folder. When its standard input closes, since the
comparison was cancelled or the server ended in any way, it stops and deletes the folder.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from pathlib import Path

import msgspec

from modeldocs import lazy_import
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.site.serving import lifetime
from modeldocs.site.serving.plan import OUTCOME, PLAN, START, ComparisonOutcome, Plan


def main(folder: Path) -> None:
    """Wait for the start, compare, and write the outcome."""
    lifetime.limit_memory()
    lazy_import.defer_symbolic()
    with lifetime.deleted_if_stopped(folder):
        importlib.import_module("modeldocs.site.serving.comparing")  # while files are being sent
        if os.read(lifetime.INPUT, len(START)) != START:
            raise SystemExit
        threading.Thread(target=lifetime.stop_at_end_of_input, daemon=True).start()
        _run(folder)


def _run(folder: Path) -> None:
    from modeldocs.site.serving.comparing import PlanRun

    plan = msgspec.json.decode((folder / PLAN).read_bytes(), type=Plan)
    run = PlanRun(folder)
    try:
        outcome = run.compare(plan)
    except ModeldocsError as error:
        outcome = ComparisonOutcome(failure=Failure.of(error), printed=run.printed)
    except Exception as error:
        failure = Failure.of_defect(error, "the two files")
        outcome = ComparisonOutcome(failure=failure, printed=run.printed)
    (folder / OUTCOME).write_bytes(msgspec.json.encode(outcome))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
