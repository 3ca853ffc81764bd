"""Git repositories: commits, what changed between two of them, and their files in a folder."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from modeldocs.errors import ModeldocsError

_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
"""Settings under which a checkout runs no program of the repository's configuration."""


def run(folder: Path, *words: str, index: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder, whatever its exit code; `index` is a file in place of its index.

    Raises:
        ModeldocsError: git is not installed.
    """
    command = ["git", *_SAFE, "-C", str(folder), *words]
    variables = {**os.environ, "GIT_INDEX_FILE": str(index)} if index is not None else None
    try:
        return subprocess.run(
            command, capture_output=True, check=False, stdin=subprocess.DEVNULL, env=variables
        )
    except FileNotFoundError:
        raise ModeldocsError("git is not installed", fix="install git") from None


def message(process: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of git's error message."""
    lines = process.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
    return lines[0].removeprefix("fatal: ")


@dataclass(frozen=True)
class Repository:
    """A repository, by the folder of its working tree."""

    root: Path

    @classmethod
    def around(cls, folder: Path) -> Repository:
        """The repository that a folder lies in.

        Raises:
            ModeldocsError: it lies in none.
        """
        found = run(folder, "rev-parse", "--show-toplevel")
        if found.returncode:
            raise ModeldocsError(
                "is in no git repository",
                file=folder.name,
                fix="run it in a checkout, with the history of the base",
            )
        return cls(Path(found.stdout.decode().rstrip("\n")).resolve())

    def output(self, *words: str, index: Path | None = None) -> str:
        """What git prints, without the line's end.

        Raises:
            ModeldocsError: git fails, with its message.
        """
        process = run(self.root, *words, index=index)
        if process.returncode:
            command = next((word for word in words if not word.startswith("-")), "")
            raise ModeldocsError(f"git {command} fails: {message(process)}")
        return process.stdout.decode("utf-8", "replace").strip()

    def commit(self, revision: str) -> str:
        """The full name of the commit that a revision means.

        Raises:
            ModeldocsError: there is none.
        """
        fix = "check the name, and fetch it: git fetch origin"
        if revision.startswith("-"):
            raise ModeldocsError(f"{revision!r} is no revision", fix=fix)
        found = run(self.root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        if found.returncode:
            raise ModeldocsError(f"git has no revision {revision!r}", fix=fix)
        return found.stdout.decode().strip()

    def merge_base(self, a: str, b: str) -> str:
        """The commit at which two parted.

        Raises:
            ModeldocsError: they have none in common, or it was not fetched.
        """
        found = run(self.root, "merge-base", a, b)
        if found.returncode:
            raise ModeldocsError(
                f"{a} and {b} have no commit in common",
                fix="fetch more of the history: git fetch --unshallow",
            )
        return found.stdout.decode().strip()

    def changed(self, base: str, head: str | None) -> set[str]:
        """Paths that differ between two commits, with the old and the new name of what moved.

        `head` None is the working tree, with files that are not added yet but not ignored.
        """
        ends = (base,) if head is None else (base, head)
        words = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", *ends, "--")
        paths = self._paths(*words)
        if head is None:
            paths |= self._paths("ls-files", "--others", "--exclude-standard", "-z")
        return paths

    def tracks(self, path: Path) -> bool:
        """Whether a file, or anything in a folder, of the working tree is under version control."""
        inside = path.is_relative_to(self.root)
        return inside and bool(self._paths("ls-files", "-z", "--", str(path)))

    def ignored(self) -> set[str]:
        """Paths of the working tree that git ignores; of a folder that it ignores, the folder."""
        words = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
        return {path.rstrip("/") for path in self._paths("ls-files", *words)}

    @contextlib.contextmanager
    def checkout(self, commit: str) -> Iterator[Path]:
        """A temporary folder with the files of a commit, removed when the block ends.

        No hook runs, and submodules stay empty.
        """
        with tempfile.TemporaryDirectory(prefix="modeldocs-tree-") as parent:
            folder = Path(parent).resolve() / "tree"
            made = run(self.root, "worktree", "add", "--detach", "--force", str(folder), commit)
            if made.returncode:
                raise ModeldocsError(
                    f"git cannot check out {commit[:12]}: {message(made)}",
                    fix="see `git worktree list`, and that there is room on the disk",
                )
            try:
                yield folder
            finally:
                run(self.root, "worktree", "remove", "--force", str(folder))

    def _paths(self, *words: str) -> set[str]:
        found = run(self.root, *words)
        if found.returncode:
            raise ModeldocsError(f"git cannot tell what changed: {message(found)}")
        return {
            path.decode("utf-8", "surrogateescape") for path in found.stdout.split(b"\0") if path
        }
