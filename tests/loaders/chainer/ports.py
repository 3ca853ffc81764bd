"""Small Chainer ports, loaded in one process of Chainer's environment."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import msgspec

import modeldocs
from modeldocs import environments
from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph, decode
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.worker import LoadOutcome, WorkRequest

HEAD = """
import chainer
import chainer.functions as F
import chainer.links as L
INPUTS = {"x": (1, 4)}
"""

_RUN = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import bootstrap
bootstrap.import_package()
from modeldocs.loaders import worker
for folder in sys.argv[2:]:
    worker.main(pathlib.Path(folder))
"""

Result = LayerGraph | Failure


def load_all(folder: Path, bodies: Mapping[str, str | LoadRequest]) -> dict[str, Result]:
    """The graph of each port, or its failure."""
    folders = {name: folder / str(index) for index, name in enumerate(bodies)}
    for name, body in bodies.items():
        folders[name].mkdir()
        request = body if isinstance(body, LoadRequest) else _written(folders[name], body)
        work = WorkRequest(
            framework="chainer",
            loader="modeldocs.loaders.chainer:ChainerLoader",
            load=request,
        )
        (folders[name] / "request.json").write_bytes(msgspec.json.encode(work))
    package = Path(modeldocs.__file__).with_name("isolation")
    python = environments.locked("chainer").executable
    command = [python, "-c", _RUN, package, *folders.values()]
    subprocess.run([str(part) for part in command], check=True, timeout=120)
    return {name: _result(directory) for name, directory in folders.items()}


def _written(folder: Path, body: str) -> LoadRequest:
    file = folder / "chainer.py"
    file.write_text(HEAD + body, encoding="utf-8")
    return LoadRequest(root=str(folder), path=str(file), name="net")


def _result(folder: Path) -> Result:
    result = msgspec.json.decode((folder / "result.json").read_bytes(), type=LoadOutcome)
    return result.failure or decode((folder / "graph.json").read_bytes())
