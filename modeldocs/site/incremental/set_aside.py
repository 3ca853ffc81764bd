"""The folder of models' pages in a site that is served, put aside while MkDocs empties the site.

Such a site is a temporary folder, which nobody else writes into. That folder has nearly all files
of a large site, and nearly all stay as they are from one build to the next.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from modeldocs import mark
from modeldocs.site import addresses

_ASIDE = ".modeldocs-aside"
"""Its name meanwhile; MkDocs leaves hidden files and folders where they are."""


def put(site: Path) -> None:
    """Put the folder aside, in place of what a build that failed has left there."""
    shutil.rmtree(site / _ASIDE, ignore_errors=True)
    if (site / addresses.MODELS).is_dir():
        (site / addresses.MODELS).rename(site / _ASIDE)


def take_back(site: Path, outdated: Iterable[str]) -> None:
    """Put the folder back, without the files of the paths in the site that are given."""
    if (site / _ASIDE).is_dir():
        (site / _ASIDE).rename(site / addresses.MODELS)
        mark.delete(site, outdated)
