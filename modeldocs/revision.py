"""A git revision's files, unpacked into a folder."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from modeldocs import git
from modeldocs.loaders.python_source import placement


def unpack_around(revision: str, path: Path, folder: Path) -> str:
    """Unpack a file with its folder; returns git's error message, empty if none.

    With a Python file come the outermost package around it, and all Python of its project.
    """
    if path.suffix != ".py":
        return unpack(revision, folder, str(path.parent))
    packages = [str(place / "__init__.py") for place in path.parents]
    marks = [str(place / mark) for place in path.parents for mark in placement.PROJECT]
    listed = git.run(Path(), "ls-tree", "--name-only", revision, "--", *packages, *marks)
    tree = listed.stdout.decode().splitlines()
    package = path.parent
    for place, init in zip(path.parents, packages, strict=True):
        if init not in tree:
            break
        package = place
    message = unpack(revision, folder, str(package))
    project = next((Path(mark).parent for mark in marks if mark in tree), None)
    if project is not None:
        own = [mark for mark in marks if mark in tree and Path(mark).parent == project]
        unpack(revision, folder, *own, f":(glob){(project / '**/*.py').as_posix()}")
    return message


def unpack(revision: str, folder: Path, *paths: str) -> str:
    """Unpack the files below paths at a revision; returns git's error message, empty if none."""
    process = git.run(Path(), "archive", "--format=tar", revision, "--", *paths)
    if process.returncode:
        return f": {git.message(process)}"
    with tarfile.open(fileobj=io.BytesIO(process.stdout)) as archive:
        archive.extractall(folder, filter=_inside)
    return ""


def _inside(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """The member of an archive if it can be unpacked safely, else None."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None
