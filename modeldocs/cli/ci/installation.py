"""What the jobs of a pipeline install: modeldocs, and the frameworks of the catalog's ports."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from modeldocs import catalog
from modeldocs.catalog import Port
from modeldocs.loaders import isolated

_EXTRAS = ("pytorch", "torch7")
"""Frameworks that an extra of the package installs, which has the framework's name."""

_CUDA = (
    "note: on Linux they install torch with CUDA libraries of several GB; for the build without "
    "pass --install with the command that https://pytorch.org/get-started/locally/ shows for CPU"
)


class Installation(NamedTuple):
    """The commands that install modeldocs with the frameworks, and `alone`, for a job that loads
    nothing; `note` is what to know of them, or "".
    """

    whole: str
    alone: str
    note: str = ""

    @classmethod
    def of(cls, folder: Path, given: str | None) -> Installation:
        """The commands given, else those for the project in a folder."""
        if given is None and (folder / "requirements.txt").is_file():
            given = "pip install -r requirements.txt"
        if given is not None:
            return cls(given.strip(), given.strip())
        alone, ports = "pip install modeldocs", _ports(folder)
        frameworks = {port.framework for port in ports}
        extras = [name for name in _EXTRAS if name in frameworks]
        commands = [f'pip install "modeldocs[{",".join(extras)}]"' if extras else alone]
        if any(isolated.environment(port.framework, port.request) for port in ports):
            commands.append("modeldocs env create")
        return cls("\n".join(commands), alone, _CUDA if "pytorch" in extras else "")


def _ports(folder: Path) -> list[Port]:
    models = folder / "models"
    read = catalog.read(models).models if models.is_dir() else ()
    return [port for model in read for port in model.ports if port.failure is None]
