"""Making an environment with `uv`."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import uv

from modeldocs.environments import Environment, home
from modeldocs.errors import ModeldocsError

BUILD_CONSTRAINTS = "setuptools<80\n"
"""Source packages of old frameworks import `pkg_resources` while they are built."""


def create(environment: Environment, *, again: bool = False) -> bool:
    """Make an environment where it is not there yet; whether there was anything to do.

    Raises:
        ModeldocsError: uv could not make it, with its own last words.
    """
    with _alone():
        if environment.ready and not again:
            return False
        shutil.rmtree(environment.folder, ignore_errors=True)
        try:
            _uv(environment, "venv", "--python", environment.python, str(environment.folder))
            _install(environment)
        except ModeldocsError:
            shutil.rmtree(environment.folder, ignore_errors=True)
            raise
        environment.stamp.write_text("\n".join(environment.requirements) + "\n")
    return True


def _install(environment: Environment) -> None:
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as place:
        wanted, constraints = Path(place, "requirements.txt"), Path(place, "build.txt")
        wanted.write_text("\n".join(environment.requirements) + "\n")
        constraints.write_text(BUILD_CONSTRAINTS)
        arguments = ["--python", str(environment.executable), "--build-constraints"]
        _uv(environment, "pip", "install", *arguments, str(constraints), "-r", str(wanted))


def _uv(environment: Environment, *arguments: str) -> None:
    done = subprocess.run(
        [uv.find_uv_bin(), "--quiet", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = " ".join(line.strip() for line in done.stderr.splitlines() if line.strip())
        raise ModeldocsError(
            f"the environment {environment.name} cannot be made: {said[:600]}",
            mend="see that the package index can be reached, then run the command again",
        )


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """One maker at a time: two builds may want the same environment at once."""
    home().mkdir(parents=True, exist_ok=True)
    with (home() / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
