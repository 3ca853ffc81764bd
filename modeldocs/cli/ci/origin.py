"""Where the modeldocs that runs here was installed from, as a URL that others install it from.

Only what runs here is told: a commit whose files are those installed, or a wheel by its hash. An
index is never told, since a name there may be anybody's.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from modeldocs import git, package_data
from modeldocs.cli.ci.requirement import DISTRIBUTION
from modeldocs.errors import ModeldocsError

_FIX = (
    "install modeldocs from a git repository or from a wheel in this one, write `installation:` "
    "for the plugin in mkdocs.yml, or pass --install COMMAND"
)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORTHAND = re.compile(r"(?P<host>[\w.-]+@[\w.-]+):(?!//)(?P<path>.+)")
"""How git writes ssh://git@host/path."""

_PLAIN = re.compile(r"[A-Za-z0-9._~:/@%+,=#&-]+")
"""A URL of which neither a shell nor YAML reads anything but text."""


def url(root: Path, folder: Path) -> str:
    """The URL for a pipeline that runs in a folder of the repository at `root`.

    Raises:
        ModeldocsError: it is not known where modeldocs comes from, or what runs is not what is
            there.
    """
    told = _told()
    address = str(told.get("url", ""))
    if "vcs_info" in told:
        found = _of_commit(address, told["vcs_info"], str(told.get("subdirectory", "")))
    elif "archive_info" in told and address.startswith("file:"):
        return _of_wheel(Path(unquote(urlsplit(address).path)), root, folder)
    elif "archive_info" in told:
        found = _of_archive(address, told["archive_info"])
    elif "dir_info" in told:
        found = _of_checkout(Path(unquote(urlsplit(address).path)))
    else:
        raise _unknown("it does not say what it was installed from")
    if not _PLAIN.fullmatch(found):
        raise _unknown(f"{found!r} cannot be written into the files of a pipeline")
    return found


def _unknown(why: str, fix: str = _FIX) -> ModeldocsError:
    return ModeldocsError(f"no source of modeldocs to install in a pipeline: {why}", fix=fix)


def _told() -> Mapping[str, Any]:
    """What the installer has written down of its source (PEP 610)."""
    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        text = None
    if text is None:
        raise _unknown("it was installed from a package index, or not at all")
    told = json.loads(text)
    return told if isinstance(told, dict) else {}


def _of_commit(address: str, told: Mapping[str, Any], subdirectory: str) -> str:
    commit = str(told.get("commit_id", ""))
    if told.get("vcs") != "git" or not _COMMIT.fullmatch(commit):
        raise _unknown("it was installed from a repository that is not git's")
    inside = f"#subdirectory={subdirectory}" if subdirectory else ""
    return f"git+{_without_credentials(address)}@{commit}{inside}"


def _of_archive(address: str, told: Mapping[str, Any]) -> str:
    """A wheel on a server, by the hash that the installer checked."""
    hashes = told.get("hashes") or {}
    sha256 = hashes.get("sha256") or str(told.get("hash", "")).removeprefix("sha256=")
    if not sha256 or not address.endswith(".whl"):
        raise _unknown("the file that it was installed from is no wheel with a known hash")
    return f"{_without_credentials(address)}#sha256={sha256}"


def _of_wheel(wheel: Path, root: Path, folder: Path) -> str:
    """A wheel in the repository, which the pipeline checks out; `$PWD` is its folder there."""
    if wheel.suffix != ".whl" or not wheel.is_file():
        raise _unknown("the file that it was installed from is no wheel, or is there no more")
    real, around = Path(os.path.realpath(wheel)), Path(os.path.realpath(root))
    if not real.is_relative_to(around):
        raise _unknown(
            f"the wheel {wheel.name} lies outside the repository",
            "copy it into the repository, commit it, and install modeldocs from there",
        )
    with zipfile.ZipFile(real) as archive:
        held = {_in_checkout(name): archive.read(name) for name in archive.namelist()}
    ours = {name: data for name, data in held.items() if _is_ours(name)}
    if ours != {name: file.read_bytes() for name, file in _running()}:
        raise _unknown(f"the wheel {wheel.name} holds other files than those that run here")
    path = os.path.relpath(real, os.path.realpath(folder))
    if not _PLAIN.fullmatch(path):
        raise _unknown(f"{path!r} cannot be written into the files of a pipeline")
    with real.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    return f"file://$PWD/{path}#sha256={sha256}"


class _GitRemote(NamedTuple):
    """A remote of a checkout that has its commit."""

    commit: str
    address: str


def _of_checkout(folder: Path) -> str:
    """The commit of a checkout, if a remote has it and its files are those that run."""
    try:
        repository = git.Repository.around(folder)
    except (ModeldocsError, OSError):
        raise _unknown("it was installed from a folder that is no git repository") from None
    inside = Path(os.path.realpath(folder)).relative_to(repository.root).as_posix()
    inside = "" if inside == "." else inside
    remote = _remote(repository)
    if _committed(repository, inside) != {n: _blob(f, remote.commit) for n, f in _running()}:
        raise _unknown(
            f"what runs here is not the commit {remote.commit[:12]} of its checkout",
            "commit the changes in the checkout, push them, and install it again",
        )
    place = f"#subdirectory={inside}" if inside else ""
    return f"git+{_address(remote.address)}@{remote.commit}{place}"


def _remote(repository: git.Repository) -> _GitRemote:
    commit = repository.commit("HEAD")
    words = ("for-each-ref", "--format=%(refname)", f"--contains={commit}", "refs/remotes")
    branches = repository.output(*words).split()
    names = sorted(repository.output("remote").split(), key=lambda name: (name != "origin", name))
    for name in names:
        if any(branch.startswith(f"refs/remotes/{name}/") for branch in branches):
            return _GitRemote(commit, repository.output("remote", "get-url", name))
    raise _unknown(
        f"the commit {commit[:12]} of its checkout is on no remote",
        "push it, so that a pipeline can fetch it",
    )


def _committed(repository: git.Repository, inside: str) -> dict[str, str]:
    """The names of git's objects of our files in the commit of a checkout."""
    listed = repository.output("ls-tree", "-r", "-z", f"HEAD:{inside}")
    entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
    return {path: words.split()[2] for words, _, path in entries if _is_ours(path)}


def _blob(file: Path, commit: str) -> str:
    """The name that git gives a file's content, in a repository whose commits are named so."""
    data = file.read_bytes()
    kind = hashlib.sha1 if len(commit) == 40 else hashlib.sha256
    return kind(b"blob %d\0" % len(data) + data).hexdigest()


def _running() -> Iterator[tuple[str, Path]]:
    """The files that run here, by their paths in a checkout."""
    package, templates = Path(package_data.__file__).parent, package_data.templates()
    for folder, name in ((package, "modeldocs"), (templates, "templates")):
        for file in folder.rglob("*"):
            path = _in_checkout(f"{name}/{file.relative_to(folder).as_posix()}")
            if file.is_file() and _is_ours(path) and path.startswith(f"{name}/"):
                yield path, file


def _in_checkout(path: str) -> str:
    """The path in a checkout of a file of the wheel."""
    inner = path.removeprefix("modeldocs/")
    return inner if inner.startswith("templates/") else path


def _is_ours(path: str) -> bool:
    first, *_ = parts = path.split("/")
    return first in ("modeldocs", "templates") and "__pycache__" not in parts


def _address(remote: str) -> str:
    """The address of a remote as pip takes it."""
    short = _SHORTHAND.fullmatch(remote)
    if short is not None:
        return f"ssh://{short['host']}/{short['path'].lstrip('/')}"
    return _without_credentials(remote) if "://" in remote else Path(remote).absolute().as_uri()


def _without_credentials(address: str) -> str:
    """A URL without the user and password of the web, which a file of a pipeline would publish."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2] if parts.scheme.startswith("http") else parts.netloc
    return urlunsplit(parts._replace(netloc=host))
