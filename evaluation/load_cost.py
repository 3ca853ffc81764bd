"""CPU time of `modeldocs load` as a whole, held against importing the framework alone.

Where the framework's own exporter is used, the ratio is to an export of one layer by it.

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
from modeldocs.loaders import loading

REPOSITORY = Path(__file__).parents[1]
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

EXPORTS = {
    "lenet/pytorch": "import torch; torch.onnx.export(torch.nn.ReLU(), (torch.zeros(1),), "
    "dynamo=True, verbose=False)",
}
"""The framework's own exporter on one layer, where a loader goes through it."""


def main(names: list[str]) -> None:
    """Print a table of CPU seconds."""
    table = Table(title=f"CPU seconds of a load from the command line, least of {REPEATS}")
    for heading in ("port", "modeldocs load", "framework's import", "its export", "ratio"):
        table.add_column(heading, justify="left" if heading == "port" else "right")
    for name in names or list(PORTS):
        load = _cpu([sys.executable, "-m", "modeldocs", "load", name])
        package, export = PORTS.get(name, ""), EXPORTS.get(name)
        imports = _cpu([_python(name), "-c", f"import {package}"]) if package else None
        exports = _cpu([_python(name), "-c", export]) if export else None
        alone = exports or imports
        told = ["" if one is None else f"{one:.2f}" for one in (load, imports, exports)]
        table.add_row(name, *told, f"{load / alone:.2f} ×" if alone else "")
    Console().print(table)


def _python(name: str) -> str:
    _, port = catalog.read(REPOSITORY / "models").port(name)
    held = loading.environment(port.framework, port.request)
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
