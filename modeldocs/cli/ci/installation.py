"""What the jobs of a pipeline install: modeldocs, and the frameworks of the catalog's ports."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from modeldocs import catalog
from modeldocs.catalog import Port
from modeldocs.cli.ci import origin, requirement
from modeldocs.loaders import loading
from modeldocs.site import settings

_EXTRAS = ("pytorch", "torch7")
"""Frameworks that an extra of the package installs, which has the framework's name."""

_CONFIG, _REQUIREMENTS = "mkdocs.yml", "requirements.txt"

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
    def of(cls, root: Path, folder: Path, given: str | None) -> Installation:
        """The command given, else those for the project in a folder of the repository at `root`.

        Raises:
            ModeldocsError: no safe source of modeldocs is known.
        """
        requirements, more = folder / _REQUIREMENTS, ""
        if given is None and requirements.is_file():
            if requirement.check_file(requirements):
                given = f"pip install -r {_REQUIREMENTS}"
            else:
                more = f" -r {_REQUIREMENTS}"
        if given is not None:
            requirement.check_command(given)
            return cls(given.strip(), given.strip())
        ports = _ports(folder)
        frameworks = {port.framework for port in ports}
        extras = [name for name in _EXTRAS if name in frameworks]
        alone = _modeldocs(root, folder)
        commands = [f"pip install {requirement.with_extras(alone, extras)}{more}"]
        if any(loading.environment(port.framework, port.request) for port in ports):
            commands.append("modeldocs env create")
        note = _CUDA if "pytorch" in extras else ""
        return cls("\n".join(commands), f"pip install {alone}", note)


def _modeldocs(root: Path, folder: Path) -> str:
    """What pip installs modeldocs by: as mkdocs.yml says, else from where it was installed here."""
    config = folder / _CONFIG
    told = settings.read(config).installation if config.is_file() else None
    if told is None:
        return requirement.direct(origin.url(root, folder))
    requirement.check_arguments(told, _CONFIG)
    return told.strip()


def _ports(folder: Path) -> list[Port]:
    models = folder / "models"
    read = catalog.read(models).models if models.is_dir() else ()
    return [port for model in read for port in model.ports if port.failure is None]
