"""The folder of a site, which MkDocs empties: it may hold only what builds of ours have written.

A site that is served is in a temporary folder of MkDocs, and needs none of this.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from modeldocs import mark
from modeldocs.errors import ModeldocsError

KIND = "site"

_FIX = "choose an empty folder (--out DIR, or site_dir in mkdocs.yml), or empty it yourself"


def check(site: Path) -> None:
    """Check that a folder may be emptied; hidden files in it are left by MkDocs.

    Raises:
        ModeldocsError: it is none of our sites, or somebody has put a file into it.
    """
    mark.check(site, KIND, _FIX)
    if not site.is_dir():
        return
    other = next(mark.strangers(site), None)
    if other is not None:
        raise ModeldocsError(
            "would be deleted with the last build's files, and modeldocs did not write it",
            file=f"{site.name}/{other}",
            fix="move it into docs_dir, whose files are part of each build, or out of the site",
        )


def begin(site: Path) -> None:
    """Mark a folder as a site, before MkDocs empties it.

    Raises:
        ModeldocsError: as `check`.
    """
    check(site)
    mark.claim(site, KIND, _FIX)


def announce(site: Path, files: Iterable[str]) -> None:
    """List the files that MkDocs writes next, so that a build may be killed at any moment."""
    mark.keep(site, KIND, mark.listed(site).union(files))


def end(site: Path) -> None:
    """List what is there after a build, with what other plugins have written."""
    mark.keep(site, KIND, mark.files(site))
