"""The loader that CONTRIBUTING shows, installed in a folder as a package of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from subprocess import CompletedProcess

REPOSITORY = Path(__file__).parents[1]


def install(place: Path, changed: dict[str, str] | None = None) -> None:
    """Put the package into a folder; `changed` are texts of its code with others in their place."""
    recipe = (REPOSITORY / "CONTRIBUTING.md").read_text().split("## A new loader\n")[1]
    (code,), (points,) = (
        re.findall(rf"```{kind}\n(.*?)```", recipe, re.S) for kind in ("python", "toml")
    )
    for before, after in (changed or {}).items():
        assert before in code
        code = code.replace(before, after)
    (place / "toy_loader.py").write_text(code)
    info = place / "toy_loader-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy_loader\nVersion: 1.0\n")
    table = tomllib.loads(points)["project"]["entry-points"]["modeldocs.loaders"]
    lines = [f"{name} = {value}" for name, value in table.items()]
    (info / "entry_points.txt").write_text("\n".join(["[modeldocs.loaders]", *lines]))


def run(place: Path, *words: str) -> CompletedProcess[str]:
    """`modeldocs`, in a folder that the package was installed in."""
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join([str(place), str(REPOSITORY)])}
    command = [sys.executable, "-m", "modeldocs", *words]
    return subprocess.run(command, cwd=place, env=paths, capture_output=True, text=True)
