"""What versions of ports changed in their networks, kept in the store once it was compared."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from pathlib import Path

import msgspec

from modeldocs import digest
from modeldocs.history.version import Version, VersionChange


@dataclass(frozen=True)
class Changes:
    """The changes that are known, each in a file of a folder; pruning leaves them."""

    folder: Path

    @classmethod
    def of(cls, store: Path) -> Changes:
        """Those in a store."""
        return cls(store / "versions")

    def known(self, old: Version, new: Version) -> VersionChange | None:
        """What changed between two versions; None where that was not compared."""
        name = _name(old, new)
        if name in self._names:
            with contextlib.suppress(OSError, msgspec.MsgspecError):
                return msgspec.json.decode((self.folder / name).read_bytes(), type=VersionChange)
        return None

    def keep(self, old: Version, new: Version, change: VersionChange) -> None:
        """Keep what changed; a failure is not kept, which another machine may not have."""
        if not change.failure:
            self.folder.mkdir(exist_ok=True)
            (self.folder / _name(old, new)).write_bytes(msgspec.json.encode(change))

    @functools.cached_property
    def _names(self) -> frozenset[str]:
        with contextlib.suppress(OSError):
            return frozenset(path.name for path in self.folder.iterdir())
        return frozenset()


def _name(old: Version, new: Version) -> str:
    """The file of a pair of versions."""
    pair = "\n".join((old.commit, old.path, new.commit, new.path))
    return f"{digest.of(pair.encode())[:24]}.json"
