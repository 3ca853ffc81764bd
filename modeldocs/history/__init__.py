"""What changed in a port, when and by whom: versions of its files in git, and who owns them."""

from __future__ import annotations

from modeldocs.history.changes import Changes
from modeldocs.history.log import Log, read
from modeldocs.history.owners import Owners
from modeldocs.history.version import Change, History, Version

__all__ = ["Change", "Changes", "History", "Log", "Owners", "Version", "read"]
