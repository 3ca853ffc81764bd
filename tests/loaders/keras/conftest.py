"""What the tests of Keras share: one process of its environment that loads everything."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from filelock import FileLock

import modeldocs
from modeldocs.ir import Layer, LayerGraph, decode
from tests.loaders.keras import ports

BOOTSTRAP = Path(modeldocs.__file__).with_name("isolation") / "bootstrap.py"
BROKEN = 60
"""Broken files of each kind."""


@dataclass
class Session:
    """What came of each request, by its name."""

    made: dict[str, dict[str, Any]]
    folder: Path

    def graph(self, name: str) -> LayerGraph:
        assert "graph" in self.made[name], self.made[name]
        return decode(self.made[name]["graph"].encode())

    def layer(self, name: str, called: str) -> Layer:
        (found,) = [layer for layer in self.graph(name).layers if layer.name == called]
        return found

    def failure(self, name: str) -> dict[str, Any]:
        assert "failure" in self.made[name], self.made[name]
        return self.made[name]["failure"]


@pytest.fixture(scope="session")
def session(environment, shared_folder) -> Session:
    """Loaded once, whatever number of processes the tests run in."""
    folder = shared_folder / "keras-session"
    python = environment("tensorflow").executable
    with FileLock(f"{folder}.lock"):
        if not (folder / "loaded.json").exists():
            folder.mkdir()
            _load_everything(python, folder)
    return Session(json.loads((folder / "loaded.json").read_text()), folder)


def _load_everything(python: Path, folder: Path) -> None:
    requests = ports.requests(folder)
    (folder / "requests.json").write_bytes(msgspec.json.encode(requests))
    script = Path(__file__).with_name("session.py")
    done = subprocess.run(
        [python, "-P", script, BOOTSTRAP, folder, str(BROKEN)],
        check=False,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
