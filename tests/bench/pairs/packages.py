"""Environments of the packages that networks are taken from, made where they are absent."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from modeldocs import environments
from modeldocs.environments import WORKER, Environment, creation

HOME: Final = Path(__file__).parents[3] / ".modeldocs" / "bench-pairs"

_INSTALLED: Final = {
    # torch comes first and pinned: asked for openly, pip takes a build with CUDA of several GB.
    # What follows --no-deps would ask for another torch, or for what reads text.
    "pytorch": (
        ("torch==2.13.0",),
        (*WORKER, "transformers==5.23.0", "pillow", "pyyaml", "safetensors"),
        ("--no-deps", "torchvision==0.28.0", "timm==1.0.31"),
    ),
    "keras": (
        environments.locked("tensorflow").requirements,
        ("kagglehub", "regex", "tokenizers"),
        ("--no-deps", "keras-hub==0.32.0"),
    ),
}
"""What pip installs, call by call, for the frameworks that need more than modeldocs locks."""


class Kept(Environment, frozen=True):
    """An environment of this benchmark, kept beside its graphs."""

    @property
    def folder(self) -> Path:
        """Where it is kept; another request has another folder."""
        return HOME / "environments" / super().folder.name


def environment(framework: str) -> Environment:
    """The environment that a framework's networks load in, whether it is there or not."""
    calls = _INSTALLED.get(framework)
    if calls is None:
        return environments.locked(framework)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = tuple(one for call in calls for one in call)
    return Kept(name=framework, python=version, requirements=wanted)


def create(framework: str) -> Environment:
    """The environment, made if it is not there.

    Raises:
        ModeldocsError: uv could not make one that modeldocs locks.
        CalledProcessError: pip could not install a package, and said why.
    """
    wanted = environment(framework)
    if framework not in _INSTALLED:
        creation.create(wanted)
    elif not wanted.ready:
        shutil.rmtree(wanted.folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(wanted.folder)], check=True)
        for call in _INSTALLED[framework]:
            pip = [str(wanted.executable), "-m", "pip", "--quiet", "install", *call]
            subprocess.run(pip, check=True)
        wanted.stamp.write_text("\n".join(wanted.requirements) + "\n")
    return wanted
