"""CPU time of `modeldocs load` as a whole, held against importing the framework alone.

Both are taken in fresh processes, children included, and the smaller of some runs counts: what
else the machine does only adds to it.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from modeldocs import catalog
from modeldocs.loaders import isolated

REPOSITORY = Path(__file__).parents[2]
REPEATS = 5
PORTS = {
    "lenet/onnx": "",
    "lenet/caffe": "",
    "lenet/torch7": "",
    "lenet/mxnet": "mxnet",
    "lenet/chainer": "chainer",
    "lenet/keras": "keras",
    "cifar10-quick/tensorflow": "tensorflow",
    "lenet/pytorch": "torch",
}
"""A small port of each framework, and the package that it cannot be loaded without."""


def main(names: list[str]) -> None:
    """Print a table of CPU seconds."""
    table = Table(title=f"CPU seconds of a load from the command line, least of {REPEATS}")
    for heading in ("port", "modeldocs load", "the framework's import", "ratio"):
        table.add_column(heading, justify="left" if heading == "port" else "right")
    for name in names or list(PORTS):
        load = _cpu([sys.executable, "-m", "modeldocs", "load", name])
        package = PORTS.get(name, "")
        alone = _cpu([_python(name), "-c", f"import {package}"]) if package else None
        ratio = [f"{alone:.2f}", f"{load / alone:.2f} ×"] if alone else ["", ""]
        table.add_row(name, f"{load:.2f}", *ratio)
    Console().print(table)


def _python(name: str) -> str:
    _, port = catalog.read(REPOSITORY / "models").port(name)
    held = isolated.environment(port.framework, port.request)
    return str(held.executable) if held is not None else sys.executable


def _cpu(command: list[str]) -> float:
    """The least CPU time of some runs, user's and system's, with that of all children."""
    took = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


if __name__ == "__main__":
    main(sys.argv[1:])
