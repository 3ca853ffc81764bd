"""How long loading takes, with the import of the framework left out: `make bench-load`.

Each source is loaded in a fresh process of the interpreter that it needs: once to warm up, then
some times for the median. PyTorch is held against its own exporters on the same module.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
REPEATS = 5
TARGETS = {
    "resnet50/keras": "3 s",
    "googlenet/caffe": "0.3 s",
    "resnet50/mxnet": "0.3 s",
    "resnet50/pytorch": "1.3 × bare",
}
IMPORTS = {
    "keras": ("keras", "tensorflow"),
    "pytorch": ("torch", "torch.onnx", "onnxscript"),
    "tensorflow": ("tensorflow",),
    "chainer": ("chainer",),
}


def main(ports: list[str]) -> None:
    """Print a table of medians, in seconds."""
    from rich.console import Console
    from rich.table import Table

    from modeldocs import catalog

    held = catalog.read(REPOSITORY / "models")
    table = Table(title=f"Seconds to load, median of {REPEATS}, without the framework's import")
    for heading in ("port", "load", "normal form", "both", "bare exporter", "target"):
        table.add_column(heading, justify="left" if heading == "port" else "right")
    for name in ports or list(TARGETS):
        table.add_row(name, *_row(held.port(name)[1], TARGETS.get(name, "")))
    Console().print(table)


def _row(port: object, target: str) -> list[str]:
    import msgspec

    from modeldocs.catalog import Port
    from modeldocs.loaders import entry_point, loading

    assert isinstance(port, Port)
    environment = loading.environment(port.framework, port.request)
    python = str(environment.executable) if environment is not None else sys.executable
    asked = msgspec.json.encode(port.request).decode()
    command = [python, "-P", __file__, "--child", port.framework, entry_point(port.framework).value]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=False)
    if done.returncode:
        return ["failed", done.stderr.strip().splitlines()[-1][:60], "", "", target]
    figures = json.loads(done.stdout.splitlines()[-1])
    load, form, bare = (figures[key] for key in ("load", "normal", "bare"))
    ratio = f"{bare:.2f} (both is {(load + form) / bare:.2f} ×)" if bare else ""
    return [f"{load:.2f}", f"{form:.2f}", f"{load + form:.2f}", ratio, target]


def child(framework: str, loader: str) -> None:
    """Time one port in this interpreter; the request comes on standard input."""
    _adopt()
    warnings.simplefilter("ignore")
    import msgspec

    from modeldocs.loaders import LoadRequest
    from modeldocs.normal import normalise

    request = msgspec.json.decode(sys.stdin.read(), type=LoadRequest)
    module, _, name = loader.partition(":")
    made = getattr(importlib.import_module(module), name)()
    for package in IMPORTS.get(framework, ()):
        importlib.import_module(package)
    normalise(made.load(request))
    loads, forms, bare = [], [], []
    for _ in range(REPEATS):
        model, took = _timed(lambda: made.load(request))
        loads.append(took)
        forms.append(_timed(lambda model=model: normalise(model))[1])
        if framework == "pytorch":
            bare.append(_timed(_bare_export(request))[1])
    medians = [statistics.median(times) if times else None for times in (loads, forms, bare)]
    print(json.dumps(dict(zip(("load", "normal", "bare"), medians, strict=True))))  # noqa: T201


def _adopt() -> None:
    """Make our package importable, as an isolated process does."""
    file = REPOSITORY / "modeldocs" / "isolation" / "bootstrap.py"
    spec = importlib.util.spec_from_file_location("bootstrap", file)
    assert spec is not None and spec.loader is not None
    bootstrap = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bootstrap)
    bootstrap.import_package()


def _timed(call: Callable[[], object]) -> tuple[object, float]:
    started = time.perf_counter()
    made = call()
    return made, time.perf_counter() - started


def _bare_export(request: object) -> Callable[[], object]:
    """What a user would write: build the module, `torch.export`, `torch.onnx.export`."""
    import torch

    from modeldocs.loaders import LoadRequest
    from modeldocs.loaders.pytorch import inputs
    from modeldocs.loaders.pytorch.module import build_module

    assert isinstance(request, LoadRequest)

    def export() -> object:
        built = build_module(request)
        args, kwargs = inputs.arguments(inputs.tensors(built.inputs))
        exported = torch.export.export(built.module, args, kwargs, strict=False)
        return torch.onnx.export(exported, dynamo=True, optimize=False, verbose=False)

    return export


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:4])
    else:
        main(sys.argv[1:])
