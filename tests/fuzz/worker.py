"""A process that breaks files and reads them, in the interpreter that their parser needs.

Asked by a line of JSON for an input by its number, or for a file; answers with a line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from types import FrameType
from typing import Any

REPOSITORY = Path(__file__).parents[2]


class Hung(BaseException):
    """The input's time is up."""


def _hang(_number: int, _frame: FrameType | None) -> None:
    raise Hung


def main(name: str, seconds: float, memory_mb: int) -> None:
    """Answer until there is nothing more to read."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    from .parsers import PARSERS

    parser = PARSERS[name]
    folder = Path(tempfile.mkdtemp(prefix="modeldocs-fuzz-"))
    signal.signal(signal.SIGALRM, _hang)
    ready = False
    try:
        for line in sys.stdin:
            asked = json.loads(line)
            if "file" in asked:
                held: Any = (asked["name"], Path(asked["file"]).read_bytes())
            else:
                held = parser.broken(name, asked["seed"], asked["number"])
            if "keep" in asked:
                Path(asked["keep"]).write_bytes(held[1])
            if not ready:  # what is imported on the way is none of the input's
                _try(parser, folder, *parser.seeds()[0], seconds=120.0)
                limit = _size() + memory_mb * 2**20
                resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
                ready = True
            told = _try(parser, folder, *held, seconds=seconds)
            told["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            answers.write(json.dumps(told) + "\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _size() -> int:
    """Bytes of data that this process holds, which is what `modeldocs.isolation` limits."""
    return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()


def _try(parser: Any, folder: Path, name: str, data: bytes, *, seconds: float) -> dict[str, Any]:
    """How reading one file ends."""
    from modeldocs.errors import ModeldocsError

    for old in folder.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    started = time.monotonic()
    told: dict[str, Any] = {"outcome": "loaded"}
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        graph = parser.read(folder, path)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if graph is not None:
            told["graph"] = graph.decode("utf-8", "surrogatepass")
    except ModeldocsError as error:
        said = str(error)
        told = {"outcome": "refused", "said": said[:3000]}
        if "\n" in error.reason or len(said) > 3000:
            told = {
                "outcome": "crashed",
                "key": "a sentence of several lines, or very long",
                "said": said,
            }
    except Hung as error:
        told = {"outcome": "hung", "key": f"hung at {_place(error)}", "trace": _trace(error)}
    except BaseException as error:
        told = crash(error)
    finally:
        with contextlib.suppress(Hung):
            signal.setitimer(signal.ITIMER_REAL, 0)
    told["seconds"] = round(time.monotonic() - started, 3)
    return told


def crash(error: BaseException) -> dict[str, Any]:
    """What is told of an exception that should not be."""
    key = f"{type(error).__name__} at {_place(error)}"
    return {"outcome": "crashed", "key": key, "said": str(error)[:300], "trace": _trace(error)}


def _place(error: BaseException) -> str:
    """The innermost line of ours."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename.startswith(str(REPOSITORY / "modeldocs"))] or frames
    return f"{own[-1].filename.removeprefix(f'{REPOSITORY}/')}:{own[-1].lineno}"


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-6000:]


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
