"""Environments of the packages that networks are taken from, made where they are absent."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from modeldocs import environments
from modeldocs.environments import WORKER, Environment, creation

HOME: Final = Path(__file__).parents[2] / ".bench-pairs"

_PUBLISHED: Final = Path(__file__).parents[1] / "published" / "packages.txt"
"""What networks of many packages need; installed without what they ask
for, which would be another torch.
"""

_INSTALLED: Final = {
    # torch comes first and pinned: asked for openly, pip takes a build with CUDA of several GB.
    # What follows --no-deps would ask for another torch, or for what reads text.
    "pytorch": (
        ("torch==2.13.0",),
        (*WORKER, "transformers==5.23.0", "pillow", "pyyaml", "safetensors"),
        ("--no-deps", "torchvision==0.28.0", "timm==1.0.31"),
    ),
    "published": (
        ("torch==2.13.0",),
        (*WORKER, "scipy"),
        ("--no-deps", *_PUBLISHED.read_text().split()),
    ),
    "keras": (
        environments.locked("tensorflow").requirements,
        ("kagglehub", "regex", "tokenizers"),
        ("--no-deps", "keras-hub==0.32.0"),
    ),
}
"""What pip installs, call by call, where it is more than modeldocs locks: by framework, and for
networks of many packages."""

_FOR_ANOTHER_TORCH: Final = ("torchaudio/lib",)
"""Compiled operators that cannot be loaded beside a torch for processors; packages that find them
absent do without."""


class Kept(Environment, frozen=True):
    """An environment of this benchmark, kept beside its graphs."""

    @property
    def folder(self) -> Path:
        """Where it is kept; another request has another folder."""
        return HOME / "environments" / super().folder.name


def environment(name: str) -> Environment:
    """The environment of a name, whether it is there or not."""
    calls = _INSTALLED.get(name)
    if calls is None:
        return environments.locked(name)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = tuple(one for call in calls for one in call)
    return Kept(name=name, python=version, requirements=wanted)


def create(name: str) -> Environment:
    """The environment, made if it is not there.

    Raises:
        ModeldocsError: uv could not make one that modeldocs locks.
        CalledProcessError: pip could not install a package, and said why.
    """
    wanted = environment(name)
    if name not in _INSTALLED:
        creation.create(wanted)
    elif not wanted.ready:
        shutil.rmtree(wanted.folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(wanted.folder)], check=True)
        for call in _INSTALLED[name]:
            pip = [str(wanted.executable), "-m", "pip", "--quiet", "install", *call]
            subprocess.run(pip, check=True)
        for place in _FOR_ANOTHER_TORCH:
            for folder in wanted.folder.glob(f"lib/python*/site-packages/{place}"):
                shutil.rmtree(folder)
        wanted.stamp.write_text("\n".join(wanted.requirements) + "\n")
    return wanted
