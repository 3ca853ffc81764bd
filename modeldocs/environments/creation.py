"""Creation of environments with `uv`."""

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

from modeldocs import mark
from modeldocs.environments import Environment, home
from modeldocs.errors import ModeldocsError

_KIND, _FIX = "environment", "remove the folder yourself"

MAX_MESSAGE = 300
"""Characters of a tool's message that an error repeats."""

_CAUSE = re.compile(r"(error|  cause):")
_BUILD = re.compile(r"Failed to build `([^`]+)`")

BUILD_CONSTRAINTS = "setuptools<80\n"
"""Source packages of old frameworks import `pkg_resources` in their build."""


def create(environment: Environment, *, again: bool = False) -> bool:
    """Create an environment unless it is installed, or `again`; whether it was created.

    Raises:
        ModeldocsError: uv failed, with its message; or there is somebody else's folder.
    """
    with _locked():
        if environment.ready and not again:
            return False
        mark.check(environment.folder, _KIND, _FIX)
        shutil.rmtree(environment.folder, ignore_errors=True)
        try:
            mark.claim(environment.folder, _KIND, _FIX)
            _make(environment)
            _install(environment)
        except ModeldocsError:
            shutil.rmtree(environment.folder, ignore_errors=True)
            raise
        environment.stamp.write_text("\n".join(environment.requirements) + "\n")
    return True


def _make(environment: Environment) -> None:
    words = ("--allow-existing", "--python", environment.python)  # its folder is marked already
    _uv(environment, "venv", *words, str(environment.folder))


def _install(environment: Environment) -> None:
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        requirements, constraints = Path(folder, "requirements.txt"), Path(folder, "build.txt")
        requirements.write_text("\n".join(environment.requirements) + "\n")
        constraints.write_text(BUILD_CONSTRAINTS)
        # Workers write no bytecode: without it each load would compile its framework again.
        arguments = ["--compile-bytecode", "--python", str(environment.executable)]
        arguments += ["--build-constraints", str(constraints)]
        _uv(environment, "pip", "install", *arguments, "-r", str(requirements))


def _uv(environment: Environment, *arguments: str) -> None:
    done = subprocess.run(
        [uv.find_uv_bin(), "--quiet", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason, fix = explain(done.stderr)
        raise ModeldocsError(
            f"the environment {environment.name} cannot be made: {reason}", fix=fix
        )


def explain(output: str) -> tuple[str, str]:
    """Why uv failed, in one sentence that names the package at fault, and the fix."""
    causes = [line.partition(":")[2].strip() for line in output.splitlines() if _CAUSE.match(line)]
    failed_build = _BUILD.search(output)
    if failed_build:
        block = output.partition("\nhint:")[0].splitlines()
        last = next((line.strip() for line in reversed(block) if line.strip()), "")
        return (
            f"{failed_build[1]} has no wheel for this Python and machine, and building it failed: "
            f"{last[:MAX_MESSAGE]}",
            "name a version that has a wheel, or install what building it needs",
        )
    last = causes[-1] if causes else " ".join(output.split())
    reason = last.partition(", we can conclude")[0][:MAX_MESSAGE]
    if reason.startswith("Because "):
        return reason.removeprefix("Because "), "name packages and versions that can be had"
    if len(causes) > 1 and "fetch" in causes[1]:
        return f"{causes[1]} ({reason})", "see that the package index can be reached"
    return reason or "uv said nothing", "correct what it names, then run the command again"


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """Let one process at a time create environments: two builds may need the same one."""
    home().mkdir(parents=True, exist_ok=True)
    with (home() / ".lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
