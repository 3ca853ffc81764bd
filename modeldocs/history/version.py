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


class History(Struct, frozen=True):
    """The versions of a port, the newest first, and its owner, empty where none is named.

    `cut` is whether the clone is shallow, so that older versions may not be there.
    """

    versions: tuple[Version, ...] = ()
    owner: str = ""
    cut: bool = False
