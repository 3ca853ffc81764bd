"""The plain data of a history."""

from __future__ import annotations

from modeldocs.struct import Struct


class Version(Struct, frozen=True):
    """A commit that changed a file.

    `commit` is its full name, `date` the day on which it was written (ISO 8601), `path` the file
    at that commit, relative to the repository. `kind` is `added`, `changed`, `renamed` or
    `removed`; of several files of one commit it is that of the first.
    """

    commit: str
    date: str
    author: str
    subject: str
    path: str
    kind: str

    @property
    def short(self) -> str:
        """The commit's name in a few characters."""
        return self.commit[:8]


class VersionChange(Struct, frozen=True):
    """A version, and how it differs from the one before it.

    `step` is the id of the verdict by structure, empty for the first version and where one of the
    two could not be loaded: `failure` then has the reason. `titles` are what differs, the gravest
    first, `more` how many others do.
    """

    version: Version
    step: str = ""
    titles: tuple[str, ...] = ()
    more: int = 0
    failure: str = ""


class History(Struct, frozen=True):
    """The versions of a port, the newest first, and its owner, empty where none is named.

    `changes` are what versions changed in the network, by their commits, where that is known.
    `cut` is whether the clone is shallow, so that older versions may not be there.
    """

    versions: tuple[Version, ...] = ()
    owner: str = ""
    changes: dict[str, VersionChange] = {}
    cut: bool = False
