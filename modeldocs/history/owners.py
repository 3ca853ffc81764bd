"""Owners of files, as a CODEOWNERS file names them."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pathspec

PLACES: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where GitHub and GitLab look for it."""


@dataclass(frozen=True)
class Owners:
    """The rules of a CODEOWNERS file: patterns with their owners."""

    rules: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, root: Path) -> Owners:
        """The rules of a repository; none where it has no such file."""
        file = next((root / one for one in PLACES if (root / one).is_file()), None)
        lines = file.read_text("utf-8", "replace").splitlines() if file is not None else []
        rules = (line.partition("#")[0].split() for line in lines)
        # GitLab's sections are in brackets.
        return cls(
            tuple((one[0], " ".join(one[1:])) for one in rules if one and one[0][0] not in "[^")
        )

    @functools.cached_property
    def _patterns(self) -> list[tuple[pathspec.PathSpec[Any], str]]:
        """The rules ready to be matched, the last first."""
        return [
            (pathspec.PathSpec.from_lines("gitignore", [pattern]), owners)
            for pattern, owners in reversed(self.rules)
        ]

    def of(self, path: str) -> str:
        """Who owns a file, by the last rule that it matches; empty where nobody does."""
        found = (owners for pattern, owners in self._patterns if pattern.match_file(path))
        return next(found, "")
