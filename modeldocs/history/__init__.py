"""What changed in a port, when and by whom: versions of its files in git, and who owns them."""

from __future__ import annotations

from modeldocs.history.changes import Changes
from modeldocs.history.log import VersionLog, read
from modeldocs.history.owners import Owners
from modeldocs.history.version import History, Version, VersionChange

__all__ = ["Changes", "History", "Owners", "Version", "VersionChange", "VersionLog", "read"]
