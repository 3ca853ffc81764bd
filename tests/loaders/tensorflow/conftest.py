"""One process of TensorFlow's environment, which all of these tests ask."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import onnx_ir as ir
import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import reference
from modeldocs.normal import normalise
from modeldocs.numeric.proof.comparison import compare

SERVER = Path(__file__).with_name("server.py")


class TensorFlow:
    """Loads and proves in another interpreter; errors come back as they are."""

    def __init__(self, python, folder):
        self.folder = folder
        self.count = 0
        self.process = subprocess.Popen(
            [str(python), "-P", str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
        )

    def ask(self, request, *, prove=False):
        """The folder that the answer lies in."""
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        asked = {"folder": str(folder), "request": request, "prove": prove}
        told = self._answer(asked)
        if told is not None:
            assert "crash" not in told, told.get("trace", told["crash"])
            raise ModeldocsError(
                told["reason"], file=told["file"], line=told["line"], fix=told["fix"]
            )
        return folder

    def _answer(self, asked):
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "it crashed"
        return json.loads(line)

    def saved(self, name):
        """The folder that a function of `graphs.py` wrote into."""
        folder = self.folder / name
        if not folder.exists():
            folder.mkdir()
            assert self._answer({"make": name, "folder": str(folder)}) is None
        return folder

    def model(self, path, **changes):
        """What loading a file or folder gives."""
        return ir.load(self.ask(_request(path, changes)) / "model.onnx")

    def graph(self, path, **changes):
        """Its layers."""
        return normalise(self.model(path, **changes))

    def proof(self, path, **changes):
        """What comes of proving it."""
        folder = self.ask(_request(path, changes), prove=True)
        return compare(*reference.read(folder))


def _request(path, changes):
    return {"root": str(path.parent), "path": str(path), "name": "net"} | changes


@pytest.fixture(scope="session")
def tensorflow(environment, tmp_path_factory):
    """TensorFlow, as `modeldocs.environments` has it."""
    made = TensorFlow(environment("tensorflow").executable, tmp_path_factory.mktemp("tensorflow"))
    yield made
    made.process.stdin.close()
    made.process.wait()
