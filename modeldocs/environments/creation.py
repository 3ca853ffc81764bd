"""Making an environment with `uv`."""

from __future__ import annotations

import contextlib
import fcntl
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import uv

from modeldocs.environments import Environment, home
from modeldocs.errors import ModeldocsError

MAX_SAID = 300
"""Characters of a tool's own words that an error passes on."""

_CAUSE = re.compile(r"(error|  cause):")
_BUILD = re.compile(r"Failed to build `([^`]+)`")

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
        # Workers write no bytecode: without it here, each load would compile its framework anew.
        arguments = ["--compile-bytecode", "--python", str(environment.executable)]
        arguments += ["--build-constraints", str(constraints)]
        _uv(environment, "pip", "install", *arguments, "-r", str(wanted))


def _uv(environment: Environment, *arguments: str) -> None:
    done = subprocess.run(
        [uv.find_uv_bin(), "--quiet", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason, fix = told(done.stderr)
        raise ModeldocsError(
            f"the environment {environment.name} cannot be made: {reason}", fix=fix
        )


def told(said: str) -> tuple[str, str]:
    """Why uv failed, in one sentence that names the package at fault, and the fix."""
    causes = [line.partition(":")[2].strip() for line in said.splitlines() if _CAUSE.match(line)]
    built = _BUILD.search(said)
    if built:
        block = said.partition("\nhint:")[0].splitlines()
        last = next((line.strip() for line in reversed(block) if line.strip()), "")
        return (
            f"{built[1]} has no wheel for this Python and machine, and building it failed: "
            f"{last[:MAX_SAID]}",
            "name a version that has a wheel, or install what building it needs",
        )
    last = causes[-1] if causes else " ".join(said.split())
    reason = last.partition(", we can conclude")[0][:MAX_SAID]
    if reason.startswith("Because "):
        return reason.removeprefix("Because "), "name packages and versions that can be had"
    if len(causes) > 1 and "fetch" in causes[1]:
        return f"{causes[1]} ({reason})", "see that the package index can be reached"
    return reason or "uv said nothing", "correct what it names, then run the command again"


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """One maker at a time: two builds may want the same environment at once."""
    home().mkdir(parents=True, exist_ok=True)
    with (home() / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
