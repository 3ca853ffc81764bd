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
"""Settings under which git runs no hook and no monitor of the repository's configuration."""

_OF_A_REPOSITORY = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"),
    *("GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
)
"""Variables that a hook has: a folder is looked at here, not the repository of the hook."""

_SUBMODULE = "160000"
"""The mode of a submodule's entry in a tree."""


def run(
    folder: Path, *words: str, index: Path | None = None, given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder, whatever its exit code; `index` is a file in place of its index.

    `given` is what git reads from its standard input.

    Raises:
        ModeldocsError: git is not installed.
    """
    command = ["git", *_SAFE, "-C", str(folder), *words]
    variables = {k: v for k, v in os.environ.items() if k not in _OF_A_REPOSITORY}
    if index is not None:
        variables["GIT_INDEX_FILE"] = str(index)
    try:
        return subprocess.run(command, capture_output=True, check=False, input=given, env=variables)
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

    def output(self, *words: str, index: Path | None = None, given: bytes = b"") -> str:
        """What git prints, without the line's end; `given` is what it reads.

        Raises:
            ModeldocsError: git fails, with its message.
        """
        process = run(self.root, *words, index=index, given=given)
        if process.returncode:
            plain = (word for word in words if not word.startswith("-") and "=" not in word)
            command = next(plain, "")
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
            shallow = self.output("rev-parse", "--is-shallow-repository") == "true"
            raise ModeldocsError(
                f"{a[:12]} and {b[:12]} have no commit in common",
                fix="fetch more of the history: git fetch --unshallow"
                if shallow
                else "pass a base that the change was made from",
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

    @property
    def lfs(self) -> Path:
        """The folder of the files that Git LFS has fetched; it may not exist."""
        common = self.output("rev-parse", "--path-format=absolute", "--git-common-dir")
        return Path(common, "lfs", "objects")

    def tracks(self, path: Path) -> bool:
        """Whether a file, or anything in a folder, of the working tree is under version control."""
        inside = path.is_relative_to(self.root)
        return inside and bool(self._paths("ls-files", "-z", "--", str(path)))

    def ignored(self) -> set[str]:
        """Paths of the working tree that git ignores; of a folder that it ignores, the folder."""
        words = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
        return {path.rstrip("/") for path in self._paths("ls-files", *words)}

    @contextlib.contextmanager
    def checkout(self, commit: str, *, filters: bool = True) -> Iterator[Path]:
        """A temporary folder with the files of a commit, removed when the block ends.

        The repository does not know of it. No hook runs. Submodules are filled as far as they are
        checked out here and have the commit. Without `filters` no program that the repository is
        configured with changes the files (`git lfs` is one).
        """
        with tempfile.TemporaryDirectory(prefix="modeldocs-tree-") as parent:
            folder = Path(parent).resolve() / "tree"
            folder.mkdir()
            self._fill(folder, commit, filters=filters)
            yield folder

    def _fill(self, folder: Path, commit: str, *, filters: bool) -> None:
        """Write the files of a commit into an empty folder.

        Raises:
            ModeldocsError: git cannot.
        """
        own = self.output("rev-parse", "--absolute-git-dir")
        settings = () if filters else self._without_filters()
        words = (f"--git-dir={own}", f"--work-tree={folder}")
        read = ("read-tree", "--reset", "-u", "--no-sparse-checkout", commit)
        with tempfile.TemporaryDirectory(prefix="modeldocs-index-") as place:
            made = run(folder, *settings, *words, *read, index=Path(place, "index"))
        if made.returncode:
            raise ModeldocsError(
                f"git cannot check out {commit[:12]}: {message(made)}",
                fix="check with `git fsck` that the commit is complete, and that there is room on "
                "the disk",
            )
        for path, inner in self._submodules(commit):
            held = Repository(self.root / path)
            if (held.root / ".git").exists() and not _lacks(held, inner):
                held._fill(folder / path, inner, filters=filters)

    def _without_filters(self) -> tuple[str, ...]:
        """Settings under which no filter of the repository's configuration is run."""
        names = run(self.root, "config", "--name-only", "-z", "--get-regexp", r"^filter\..*")
        drivers = {
            name.removeprefix("filter.").rpartition(".")[0]
            for name in names.stdout.decode("utf-8", "replace").split("\0")
            if name
        }
        off = {"smudge": "", "clean": "", "process": "", "required": "false"}
        return tuple(
            word
            for driver in sorted(drivers)
            for key, value in off.items()
            for word in ("-c", f"filter.{driver}.{key}={value}")
        )

    def _submodules(self, commit: str) -> Iterator[tuple[str, str]]:
        """The submodules of a commit: path and commit of each."""
        listed = run(self.root, "ls-tree", "-r", "-z", "--full-tree", commit)
        for entry in listed.stdout.decode("utf-8", "surrogateescape").split("\0"):
            words, _, path = entry.partition("\t")
            if words.startswith(_SUBMODULE):
                yield path, words.split()[2]

    def _paths(self, *words: str) -> set[str]:
        found = run(self.root, *words)
        if found.returncode:
            raise ModeldocsError(f"git cannot tell what changed: {message(found)}")
        return {
            path.decode("utf-8", "surrogateescape") for path in found.stdout.split(b"\0") if path
        }


def _lacks(repository: Repository, commit: str) -> bool:
    return bool(run(repository.root, "cat-file", "-e", f"{commit}^{{commit}}").returncode)
