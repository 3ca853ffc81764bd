"""The version of a port's source: a hash of its file, and the commit of its repository."""

from __future__ import annotations

from pathlib import Path

from modeldocs import digest, git
from modeldocs.errors import ModeldocsError

_SOURCES = (":(top)", ":(top,exclude,glob)**/benchmarks/*.json")
"""Pathspecs of git for all files of a repository but its records."""


def source_hash(file: Path) -> str | None:
    """`blake2b:<hex>` of a file's bytes; None for a folder."""
    if not file.is_file():
        return None
    return f"blake2b:{digest.of_file(file)}"


def revision(file: Path) -> tuple[str | None, bool | None]:
    """Commit of the file's repository, and whether the file or any tracked file differs from it.

    Changed records do not count: earlier runs write them, and they do not influence a run. Both
    values are None outside a repository and in one without commits.
    """
    commit = _git(file.parent, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return None, None
    tracked = _git(file.parent, "status", "--porcelain", "--untracked-files=no", "--", *_SOURCES)
    itself = _git(file.parent, "status", "--porcelain", "--", file.name)
    return commit, bool(tracked or itself)


def _git(folder: Path, *words: str) -> str | None:
    try:
        process = git.run(folder, *words)
    except (ModeldocsError, OSError):
        return None
    return process.stdout.decode("utf-8", "replace").strip() if not process.returncode else None
