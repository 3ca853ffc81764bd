"""Run by TensorFlow's own interpreter: passes of benchmarks, one for each line of its input.

A line is a `PassTask` as JSON; the answer is its failure as JSON, or null.
"""

import os
import runpy
import sys
from pathlib import Path

BOOTSTRAP = Path(__file__).parents[2] / "modeldocs" / "isolation" / "bootstrap.py"


def main():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    runpy.run_path(str(BOOTSTRAP))["import_package"]()
    import msgspec

    from modeldocs.benchmarks.request import PassTask
    from modeldocs.benchmarks.runners import passes
    from modeldocs.errors import Failure, ModeldocsError

    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        told = None
        try:
            passes.outcome(msgspec.json.decode(line, type=PassTask))
        except ModeldocsError as error:
            told = Failure.of(error)
        answers.write(msgspec.json.encode(told) + b"\n")


if __name__ == "__main__":
    main()
