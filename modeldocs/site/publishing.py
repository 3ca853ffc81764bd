"""Publishing of built sites on a branch of a git repository, each in a folder of its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator, Set
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from modeldocs import git, mark
from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct

MAX_BYTES = 1 << 30
"""Bytes of the largest site; hosts of pages take no more."""

KIND = "branch of sites"
"""What the mark of such a branch says."""

_TRIES = 5
"""Tries of a push, where others push to the branch at the same time."""

_NO_JEKYLL = ".nojekyll"
"""A file of each branch of sites: hosts that know Jekyll would leave out folders that begin with an
underscore."""

_AS_THEY_ARE = ("-c", "core.autocrlf=false", "-c", "core.attributesFile=/dev/null")
"""Settings under which git stores the bytes of files as they are."""

_EMAIL = "modeldocs@localhost"
_AUTHOR = ("-c", "user.name=modeldocs", "-c", f"user.email={_EMAIL}")


class PublishedFolder(Struct, frozen=True):
    """Where sites are: a branch at a remote, and a folder on it (`previews/12`; "" for its root).

    A site at the root leaves the folders named in `kept` alone.
    """

    remote: str = "origin"
    branch: str = "gh-pages"
    folder: str = ""
    kept: tuple[str, ...] = ("previews",)


def publish(repository: git.Repository, site: Path | None, place: PublishedFolder) -> str | None:
    """Put a site into its place, instead of what was there; None removes what is there.

    The branch has one commit of ours, so that old sites take no space, on top of those of others.
    Only files that an earlier call published are removed. Returns the name of the commit, None
    where the branch is as it was.

    Raises:
        ModeldocsError: the site holds links or is too large, a file of others is in the way, or git
            refuses the push.
    """
    _check_place(repository, place)
    if site is not None:
        _check(site)
    for _ in range(_TRIES):
        tip = _fetched(repository, place)
        if tip is None and site is None:
            return None
        if tip is not None:
            _check_branch(repository, place, tip)
        tree = _tree(repository, site, place, tip)
        if tip is not None and tree == repository.output("rev-parse", f"{tip}^{{tree}}"):
            return None
        parents = (word for one in _parents(repository, tip) for word in ("-p", one))
        words = ("commit-tree", tree, *parents, "-m", _message(site, place))
        commit = repository.output(*_AUTHOR, *words)
        reference = f"refs/heads/{place.branch}"
        lease = f"--force-with-lease={reference}:{tip or ''}"
        pushed = git.run(
            repository.root, "push", "--quiet", lease, place.remote, f"{commit}:{reference}"
        )
        if not pushed.returncode:
            return commit
    raise ModeldocsError(
        f"git cannot push to {place.branch}: {git.message(pushed)}",
        fix="check that you may push to the branch, and run it again",
    )


def _message(site: Path | None, place: PublishedFolder) -> str:
    where = place.folder or "the catalog"
    return f"Remove {where}" if site is None else f"Publish {where}"


def _check_place(repository: git.Repository, place: PublishedFolder) -> None:
    """Check the names of a place, which git could take for options or paths elsewhere."""
    steps = place.folder.removesuffix("/").split("/") if place.folder else []
    if any(step in ("", ".", "..", ".git") or not step.isprintable() for step in steps):
        raise ModeldocsError(
            f"{place.folder!r} is no folder of a site",
            fix="write a relative path, such as previews/12",
        )
    if place.remote.startswith("-"):
        raise ModeldocsError(f"{place.remote!r} is no remote", fix="see `git remote`")
    form = git.run(repository.root, "check-ref-format", f"refs/heads/{place.branch}")
    if form.returncode or place.branch.startswith(("-", "refs/")):
        raise ModeldocsError(
            f"{place.branch!r} is no name of a branch", fix="write one such as gh-pages"
        )


def _check_branch(repository: git.Repository, place: PublishedFolder, tip: str) -> None:
    """Refuse to put a site among the project's own files."""
    told = repository.output("ls-remote", "--symref", place.remote, "HEAD")
    is_default = told.startswith(f"ref: refs/heads/{place.branch}\t")
    if is_default and mark.kind(_mark(repository, tip)) != KIND:
        raise ModeldocsError(
            f"{place.branch} is the repository's main branch, and holds other files than a site",
            fix="publish to a branch of its own, such as --branch gh-pages",
        )


def _parents(repository: git.Repository, tip: str | None) -> tuple[str, ...]:
    """The parents of a new commit: the branch has one of ours, on top of those of others."""
    if tip is None:
        return ()
    author, *parents = repository.output("show", "-s", "--format=%ae %P", tip).split()
    return tuple(parents) if author == _EMAIL else (tip,)


def _mark(repository: git.Repository, tip: str) -> bytes:
    """The content of a branch's mark; nothing where it has none."""
    return git.run(repository.root, "cat-file", "blob", f"{tip}:{mark.NAME}").stdout


def _check(site: Path) -> None:
    """Check that a site consists of plain files of a bearable size."""
    if site.is_symlink():
        raise ModeldocsError("is a link", file=site.name, fix="pass the folder that it leads to")
    if not (site / "index.html").is_file() and not (site / "404.html").is_file():
        raise ModeldocsError("is no built site", file=site.name, fix="build it: modeldocs build")
    size = 0
    for path in site.rglob("*"):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ModeldocsError(
                "is a link or no plain file",
                file=str(path.relative_to(site)),
                fix="publish a site that `modeldocs build` or `modeldocs preview` wrote",
            )
        if ".git" in path.relative_to(site).parts:
            raise ModeldocsError("holds a git repository", file=site.name, fix="build it anew")
        if path.name == ".gitattributes":
            raise ModeldocsError(
                "would change how git stores the site",
                file=str(path.relative_to(site)),
                fix="take it out of the site",
            )
        size += path.stat().st_size if path.is_file() else 0
    if size > MAX_BYTES:
        raise ModeldocsError(
            f"has {size >> 20} MiB, and at most {MAX_BYTES >> 20} are published", file=site.name
        )


def _fetched(repository: git.Repository, place: PublishedFolder) -> str | None:
    """The commit of the branch at the remote; None where there is no such branch.

    Raises:
        ModeldocsError: the remote cannot be reached.
    """
    reference = f"refs/heads/{place.branch}"
    listed = git.run(repository.root, "ls-remote", place.remote, reference)
    if listed.returncode:
        raise ModeldocsError(
            f"the remote {place.remote} cannot be reached: {git.message(listed)}",
            fix="see `git remote -v`, or pass --remote",
        )
    if not listed.stdout:
        return None
    # A clone with its whole history stays one.
    shallow = repository.output("rev-parse", "--is-shallow-repository") == "true"
    depth = ("--depth=2",) if shallow else ()  # our commit, and the one that it stands on
    repository.output("fetch", "--quiet", *depth, "--no-tags", place.remote, reference)
    return repository.output("rev-parse", "FETCH_HEAD")


def _tree(
    repository: git.Repository, site: Path | None, place: PublishedFolder, tip: str | None
) -> str:
    """The tree of the branch with the site in its place; files of others stay.

    Raises:
        ModeldocsError: a file of others is in the way.
    """
    there = _entries(repository, tip) if tip is not None else {}
    ours = mark.parse(_mark(repository, tip)) if tip is not None else set()
    replaced = {path for path in ours if _is_replaced(path, place)}
    prefix = f"{place.folder.rstrip('/')}/" if place.folder else ""
    added = _entries(repository, _tree_of(repository, site)) if site is not None else {}
    new = {f"{prefix}{path}": entry for path, entry in added.items() if path != mark.NAME}
    kept = {path: entry for path, entry in there.items() if path not in replaced}
    _check_way(kept.keys() - {mark.NAME, _NO_JEKYLL}, new)
    listed = (ours - replaced) | new.keys()
    new[_NO_JEKYLL] = _blob(repository, b"")
    new[mark.NAME] = _blob(repository, mark.text(KIND, listed))
    lines = (f"{entry}\t{path}\0" for path, entry in (kept | new).items())
    with _index() as index:
        words = ("update-index", "-z", "--index-info")
        repository.output(*words, index=index, given=os.fsencode("".join(lines)))
        return repository.output("write-tree", index=index)


def _is_replaced(path: str, place: PublishedFolder) -> bool:
    """Whether a site that is put into a place replaces a file of ours on the branch."""
    if place.folder:
        return path.startswith(f"{place.folder.rstrip('/')}/")
    return not path.startswith(tuple(f"{name}/" for name in place.kept))


def _check_way(kept: Set[str], new: Collection[str]) -> None:
    """Check that no file of others has the name of a new one, or of a folder around one."""
    around = {str(folder) for path in (*kept, *new) for folder in PurePosixPath(path).parents}
    way = (kept & set(new)) | (kept & around) | (around & set(new))
    if way:
        raise ModeldocsError(
            "is on the branch already, and modeldocs did not publish it",
            file=min(way),
            fix="delete it from the branch, or publish to another folder or branch",
        )


def _entries(repository: git.Repository, tree: str) -> dict[str, str]:
    """The files of a tree: mode and object of each, as `git update-index` takes them, by path."""
    listed = git.run(repository.root, "ls-tree", "-r", "-z", "--full-tree", tree).stdout
    found = {}
    for line in os.fsdecode(listed).split("\0"):
        words, _, path = line.partition("\t")
        if path:
            mode, _, name = words.split()
            found[path] = f"{mode} {name}"
    return found


def _blob(repository: git.Repository, data: bytes) -> str:
    return f"100644 {repository.output('hash-object', '-w', '--stdin', given=data)}"


def _tree_of(repository: git.Repository, site: Path) -> str:
    """The tree of a folder's files, none of them ignored."""
    with _index() as index:
        folder = f"--work-tree={site.resolve()}"
        repository.output(*_AS_THEY_ARE, folder, "add", "--all", "--force", "--", ".", index=index)
        return repository.output("write-tree", index=index)


@contextmanager
def _index() -> Iterator[Path]:
    """A file for an index apart from the working tree's."""
    with tempfile.TemporaryDirectory(prefix="modeldocs-index-") as folder:
        yield Path(folder, "index")
