"""Another machine: an interpreter with modeldocs and what it requires, without any framework."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from modeldocs import environments
from modeldocs.cli.ci.requirement import DISTRIBUTION
from modeldocs.environments import Environment, creation

REPOSITORY = Path(__file__).parents[1]
FRAMEWORKS = ("torch", "tensorflow", "keras", "mxnet", "chainer", "lupa", "cv2")


class Elsewhere:
    """That interpreter, and a folder for the metadata of modeldocs; neither has environments."""

    def __init__(self, folder: Path) -> None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        self.environment = Environment("without-frameworks", version, tuple(_requirements()))
        creation.create(self.environment)
        self.folder = folder
        own = metadata.distribution(DISTRIBUTION)
        described = folder / f"mkdocs_modeldocs-{own.version}.dist-info"
        described.mkdir(parents=True)
        for name in ("METADATA", "entry_points.txt"):
            (described / name).write_text(own.read_text(name) or "")

    def run(self, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """A command of modeldocs."""
        return self.python("-m", "modeldocs", *words, cwd=cwd)

    def python(self, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Python with those arguments."""
        variables = {
            **{name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"},
            "PYTHONPATH": os.pathsep.join(map(str, (self.folder, REPOSITORY))),
            environments.HOME_VARIABLE: str(self.folder / "environments"),
        }
        return subprocess.run(
            [str(self.environment.executable), *words],
            cwd=cwd,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )


def _requirements() -> list[str]:
    """All that modeldocs requires, directly or not, at the versions that are installed here."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    found: dict[str, str] = {}
    pending = [Requirement(line) for line in project["dependencies"]]
    while pending:
        requirement = pending.pop()
        if requirement.name.lower() not in found:
            found[requirement.name.lower()] = metadata.version(requirement.name)
            pending += _required_by(requirement)
    pinned = sorted(f"{name}=={version}" for name, version in found.items())
    return [*pinned, *project["optional-dependencies"]["remote"]]


def _required_by(requirement: Requirement) -> Iterator[Requirement]:
    for line in metadata.requires(requirement.name) or []:
        required = Requirement(line)
        extras = ("", *requirement.extras)
        if required.marker is None or any(required.marker.evaluate({"extra": e}) for e in extras):
            yield required
