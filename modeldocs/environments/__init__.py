"""Environments: separate interpreters for frameworks whose requirements clash with ours.

`uv` creates each from a lock file of this package, or from the requirements in a port's
`model.yml`, in a folder of the user's cache that is named after a digest of the requirements.
"""

from __future__ import annotations

import functools
import os
import re
from importlib import metadata
from pathlib import Path

from modeldocs import digest
from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct

LOCKS = Path(__file__).parent / "locks"
HOME_VARIABLE = "MODELDOCS_ENVIRONMENTS"
PYTHON = "3.11"
"""Python of the locked environments: some need numpy 1.23, which supports none newer."""

WORKER = ("msgspec>=0.19", "onnx>=1.23", "onnx-ir>=1.1", "onnxscript>=0.7.2")
"""Requirements of modeldocs itself inside an environment."""

_FRAMEWORKS = (
    "chainer",
    "flax",
    "jax",
    "keras",
    "mxnet",
    "opencv-python-headless",
    "tensorflow",
    "tensorflow-cpu",
    "torch",
)
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)")


class Environment(Struct, frozen=True):
    """An interpreter and its requirements; `ready` is whether it is installed."""

    name: str
    python: str = PYTHON
    requirements: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Its folder, which depends on all its requirements."""
        requirements = "\n".join((self.python, *self.requirements))
        return home() / f"{self.name}-{digest.of(requirements.encode())[:12]}"

    @property
    def executable(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def stamp(self) -> Path:
        """The file that is written last: without it the environment is not complete."""
        return self.folder / "ready"

    @property
    def ready(self) -> bool:
        """Whether it is installed completely."""
        return self.stamp.is_file()

    def version(self, distribution: str) -> str | None:
        """Version of a package in it: as installed, else as locked, else None."""
        if self.ready:
            places = [str(p) for p in self.folder.glob("lib/python*/site-packages")]
            installed = metadata.distributions(name=distribution, path=places)
            return next((item.version for item in installed), None)
        pins = (_PINNED.match(line) for line in self.requirements)
        return next((p[2] for p in pins if p and p[1].lower() == distribution.lower()), None)

    @property
    def description(self) -> str:
        """Its Python version, and the frameworks in it with their versions."""
        frameworks = [
            f"{name} {version}" for name in _FRAMEWORKS if (version := self.version(name))
        ]
        content = ", ".join(frameworks) or f"{len(self.requirements)} requirements"
        return f"Python {self.python}, {content}"


def home() -> Path:
    """The folder of all environments."""
    import platformdirs  # not installed inside an environment, which does not need it

    folder = os.environ.get(HOME_VARIABLE)
    return Path(folder) if folder else platformdirs.user_cache_path("modeldocs") / "environments"


def names() -> list[str]:
    """Names of the environments that this package has a lock file for."""
    return sorted(path.stem for path in LOCKS.glob("*.txt"))


@functools.cache
def locked(name: str) -> Environment:
    """The environment of a lock file.

    Raises:
        ModeldocsError: there is none of that name.
    """
    file = LOCKS / f"{name}.txt"
    if name not in names():
        raise ModeldocsError(
            f"there is no environment {name!r}", fix=f"use one of: {', '.join(names())}"
        )
    lines = (line.strip() for line in file.read_text().splitlines())
    return Environment(name=name, requirements=tuple(line for line in lines if line))


def declared(python: str | None, requirements: tuple[str, ...]) -> Environment:
    """The environment that a port's `model.yml` asks for."""
    return Environment(
        name="declared", python=python or PYTHON, requirements=(*WORKER, *requirements)
    )


def command(environment: Environment) -> str:
    """The command that creates an environment; for a declared one, all of the catalog's."""
    which = "" if environment.name == "declared" else f" {environment.name}"
    return f"modeldocs env create{which}"


def missing(environment: Environment, title: str, file: str | None) -> ModeldocsError:
    """The error for a port whose environment is not installed."""
    return ModeldocsError(
        f"the environment that {title} runs in is not there",
        file=file,
        fix=command(environment),
    )
