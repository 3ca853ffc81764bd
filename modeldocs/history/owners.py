"""Owners of files, as a CODEOWNERS file names them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pathspec

from modeldocs.struct import Struct

PLACES: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where GitHub and GitLab look for it."""


class Owners(Struct, frozen=True):
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

    def of(self, path: str) -> str:
        """Who owns a file, by the last rule that it matches; empty where nobody does."""
        for pattern, owners in reversed(self.rules):
            if pathspec.PathSpec.from_lines("gitignore", [pattern]).match_file(path):
                return owners
        return ""
