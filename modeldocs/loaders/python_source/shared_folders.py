"""Shared folders of a catalog, as packages that its ports import.

The catalog's folder itself is not on the path: in it lie the folders of all other models.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from modeldocs.loaders import LoadRequest


class _Finder(MetaPathFinder):
    """Finds the packages of some folders, by the folders' names."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = {Path(folder).name: Path(folder) for folder in folders}

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The package of that name; modules in it are found by Python itself."""
        folder = self.folders.get(name)
        if folder is None:
            return None
        init = folder / "__init__.py"
        if init.is_file():
            return importlib.util.spec_from_file_location(
                name, init, submodule_search_locations=[str(folder)]
            )
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec


def make_importable(request: LoadRequest) -> None:
    """Make the shared folders of a request importable in this process."""
    if request.shared:
        sys.meta_path.append(_Finder(request.shared))
