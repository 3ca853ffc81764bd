"""Runners of programs that no loader loads: a module each, run in the framework's environment.

A runner is called as a worker of an isolated process. It builds the network of a program, gives its
attributes the weights that they hold, and computes its outputs in evaluation mode.
"""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Protocol

import msgspec
import numpy as np

from modeldocs import isolation
from modeldocs.errors import Failure, ModeldocsError, first_line
from modeldocs.loaders import reference
from modeldocs.loaders.reference import Arrays, Designed
from modeldocs.struct import Struct

OUTPUTS = ".outputs.npz"
"""What the name of a file of outputs ends in, before that of the file that was given."""


class RunRequest(Struct, frozen=True):
    """A program's file, the name of its network, and the folder of files of arrays to run it with.

    Parameters are by path of the attribute that holds them, inputs are in order.
    """

    file: str
    network: str
    given: str


class RunOutcome(Struct, frozen=True):
    """How a run ended; `software` is what ran."""

    software: str = ""
    failure: Failure | None = None


class ProgramRun(Protocol):
    """A program that was imported, to run it."""

    software: str

    def outputs(self, given: Designed) -> list[np.ndarray]:
        """What its network returns for these parameters and inputs.

        Raises:
            ModeldocsError: the parameters are not those of the network.
        """


def work(folder: Path, start: Callable[[ModuleType, str], ProgramRun]) -> None:
    """Run the program that `request.json` in `folder` names with each file of arrays, and write
    what it returns beside it. `start` gets the program's module and the name of its network.
    """
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=RunRequest)
    try:
        outcome = _run(request, folder, start)
    except ModeldocsError as error:
        outcome = RunOutcome(failure=Failure.of(error))
    except Exception as error:
        outcome = RunOutcome(failure=Failure.of(_located(error, request.file)))
    isolation.write_result(folder, outcome)


def _run(
    request: RunRequest, folder: Path, start: Callable[[ModuleType, str], ProgramRun]
) -> RunOutcome:
    program = start(imported(request.file), request.network)
    for file in sorted(Path(request.given).glob("*.npz")):
        arrays = reference.read_arrays(file)
        found = program.outputs(Designed(arrays.get("parameters", {}), arrays["inputs"]))
        outputs: Arrays = {str(place): one for place, one in enumerate(found)}
        reference.write_arrays(folder / f"{file.stem}{OUTPUTS}", {"outputs": outputs})
    return RunOutcome(software=program.software)


def imported(file: str) -> ModuleType:
    """A program's file as a module."""
    spec = importlib.util.spec_from_file_location("program", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _located(error: Exception, file: str) -> ModeldocsError:
    """An exception as the error of the innermost line of the program."""
    frames = traceback.extract_tb(error.__traceback__)
    line = next((one.lineno for one in reversed(frames) if one.filename == file), None)
    reason = f"{type(error).__name__}: {first_line(error)}"
    return ModeldocsError(f"its framework cannot run it: {reason}", file=file, line=line)
