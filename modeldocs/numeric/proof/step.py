"""A step of a proof in a process of its own, which writes files beside its result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from modeldocs import isolation
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.isolation import ProcessOutcome
from modeldocs.struct import Struct

R = TypeVar("R")


class StepOutcome(Struct, frozen=True):
    """How a step ended."""

    failure: Failure | None = None


def run(folder: Path, kind: type[R], do: Callable[[R, Path], None]) -> None:
    """Do what `request.json` in `folder`, of that kind, asks for, and write how it ended."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=kind)
    failure = None
    try:
        do(request, folder)
    except ModeldocsError as error:
        failure = Failure.of(error)
    isolation.write_result(folder, StepOutcome(failure))


def folder_of(outcome: ProcessOutcome, doing: str) -> Path:
    """The folder of a step that has ended.

    Raises:
        ModeldocsError: it failed.
    """
    failure = outcome.result(StepOutcome, doing=doing).failure
    if failure is not None:
        raise failure.error()
    return Path(outcome.folder)
