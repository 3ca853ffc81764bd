"""Lua definitions: which files are some, and the files beside a definition that it runs.

A definition runs such files by `require 'models/block'` or `dofile 'block.lua'`.
"""

from __future__ import annotations

import re
from pathlib import Path

from modeldocs.loaders import LoadRequest, limited_files

MAX_BYTES = 4 * 2**20
MAX_FILES = 30
_PARENTS = 4
_RECOGNISED_BYTES = 2**20
_NETWORK = re.compile(rb"\b(c?u?d?nn|backend)\s*\.\s*[A-Z]\w+|\bcreateModel\b")


def recognises(path: Path) -> bool:
    """Whether it is a Lua file that uses modules of `nn` and its relatives."""
    if path.suffix.lower() != ".lua" or not path.is_file():
        return False
    with path.open("rb") as file:
        return _NETWORK.search(file.read(_RECOGNISED_BYTES)) is not None


class LuaSource:
    """The definition of a request, and the files that it asked for so far.

    `files` holds the name and text of each by the file that asked and the name that it asked for.
    """

    def __init__(self, request: LoadRequest) -> None:
        self.path = Path(request.root, request.path or "")
        self.name = request.relative(self.path)
        self.files: dict[tuple[str, str], tuple[str, bytes]] = {}
        self._paths = {self.name: self.path}
        self._request = request
        self._readable = (Path(request.root).resolve(), self.path.resolve().parent)

    def add(self, asker: str, name: str) -> bool:
        """Look for a file that another asked for; whether it exists and is new."""
        if (asker, name) in self.files or len(self.files) >= MAX_FILES:
            return False
        path = self._find(self._paths.get(asker, self.path).parent, name)
        if path is None:
            return False
        relative = self._request.relative(path)
        self._paths[relative] = path
        self.files[asker, name] = (relative, code(path))
        return True

    def _find(self, folder: Path, name: str) -> Path | None:
        """Beside the asking file, beside the definition, or below one of its parent folders."""
        stem = name.removesuffix(".lua")
        spellings = dict.fromkeys((stem, stem.replace(".", "/")))
        parents = list(self.path.parent.resolve().parents)[:_PARENTS]
        for parent in (folder, self.path.parent, *parents):
            for spelling in spellings:
                for file in (parent / f"{spelling}.lua", parent / spelling / "init.lua"):
                    if self._allowed(file):
                        return file
        return None

    def _allowed(self, file: Path) -> bool:
        """Whether a file exists below the definition's folder or the port's root."""
        try:
            real = file.resolve()
            inside = any(real.is_relative_to(folder) for folder in self._readable)
            return inside and real.is_file()
        except (OSError, ValueError):
            return False


def code(path: Path) -> bytes:
    """The text of a Lua file; the `#!` line of a script becomes a comment.

    Raises:
        ModeldocsError: it cannot be read, or is too large for a definition.
    """
    fix = "give the definition, not the weights"
    text = limited_files.read(path, MAX_BYTES, file=path.name, what="a definition", fix=fix)
    return b"--" + text if text.startswith(b"#") else text
