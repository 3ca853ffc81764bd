"""The log of a folder in git, read once for all files in it, across renames."""

from __future__ import annotations

import functools
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from modeldocs import git
from modeldocs.errors import ModeldocsError
from modeldocs.history.version import Version

_COMMIT, _FIELD = "\x01", "\x02"  # no white space, which is stripped
_FORMAT: Final = f"--format={_COMMIT}%H{_FIELD}%as{_FIELD}%an{_FIELD}%s"
_KINDS: Final = {"A": "added", "C": "added", "D": "removed", "R": "renamed"}


@dataclass(frozen=True)
class VersionLog:
    """The versions of files by their present paths, relative to `root`, the newest first."""

    root: Path
    files: dict[str, list[Version]] = field(default_factory=dict)
    commits: tuple[str, ...] = ()
    cut: bool = False

    def of(self, paths: Iterable[Path]) -> tuple[Version, ...]:
        """The versions of some files, or of all in a folder: each commit once, newest first."""
        found: dict[str, tuple[int, Version]] = {}
        for path in paths:
            for name in self._inside(path):
                for version in self.files[name]:
                    found.setdefault(version.commit, (self._order[version.commit], version))
        return tuple(version for _, version in sorted(found.values(), key=lambda one: one[0]))

    def _inside(self, path: Path) -> Iterator[str]:
        try:
            name = Path(os.path.realpath(path)).relative_to(self.root).as_posix()
        except ValueError:
            return
        if name in self.files:
            yield name
        if name in self.files and not path.is_dir():  # a port each would look through all files
            return
        yield from (file for file in self.files if file.startswith(f"{name}/"))

    @functools.cached_property
    def _order(self) -> dict[str, int]:
        return {commit: number for number, commit in enumerate(self.commits)}


def read(folder: Path) -> VersionLog:
    """The log of a folder; an empty one where it is in no git repository."""
    try:
        repository = git.Repository.around(folder)
        head = repository.commit("HEAD")
    except ModeldocsError:
        return VersionLog(folder)
    return _read(repository.root, folder.resolve(), head)


@functools.lru_cache(8)
def _read(root: Path, folder: Path, head: str) -> VersionLog:
    """The log at a commit, which stays as it is."""
    repository = git.Repository(root)
    words = ("-c", "core.quotePath=false", "log", _FORMAT, "--name-status", "--no-merges", "-M")
    text = repository.output(*words, head, "--", str(folder))
    cut = repository.output("rev-parse", "--is-shallow-repository") == "true"
    files: dict[str, list[Version]] = defaultdict(list)
    present: dict[str, str] = {}  # paths at the commit that is read, and the present ones
    commits: list[str] = []
    for entry in text.split(_COMMIT)[1:]:
        line, *changes = entry.strip("\n").split("\n")
        commit, date, author, subject = line.split(_FIELD, 3)
        commits.append(commit)
        for change in filter(None, changes):
            kind, *paths = change.split("\t")
            name = present.get(paths[-1], paths[-1])
            told = _KINDS.get(kind[0], "changed")
            files[name].append(Version(commit, date, author, subject, paths[-1], told))
            if kind[0] == "R":
                present[paths[0]] = name
            elif kind[0] == "A":
                present.pop(paths[-1], None)
    return VersionLog(root, dict(files), tuple(commits), cut)
