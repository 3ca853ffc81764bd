"""Lua files beside a definition that it runs: `require 'models/block'`, `dofile 'block.lua'`."""

from __future__ import annotations

from pathlib import Path

from modeldocs.loaders import LoadRequest, capped

MAX_BYTES = 4 * 2**20
MAX_FILES = 30
_ABOVE = 4


class Neighbours:
    """The files that a definition asked for so far, by who asked and as what."""

    def __init__(self, request: LoadRequest) -> None:
        self.path = Path(request.root, request.path or "")
        self.name = request.relative(self.path)
        self.found: dict[tuple[str, str], tuple[str, bytes]] = {}
        self._places = {self.name: self.path}
        self._request = request
        folder = self.path.resolve().parent
        self._readable = (Path(request.root).resolve(), folder)

    def add(self, asked: str, name: str) -> bool:
        """Look for a file that another asked for; whether it is there and new."""
        if (asked, name) in self.found or len(self.found) >= MAX_FILES:
            return False
        place = self._find(self._places.get(asked, self.path).parent, name)
        if place is None:
            return False
        told = self._request.relative(place)
        self._places[told] = place
        self.found[asked, name] = (told, code(place))
        return True

    def _find(self, folder: Path, name: str) -> Path | None:
        """Beside who asks, beside the definition, or below a folder above, as a script sees it."""
        stem = name.removesuffix(".lua")
        spelled = dict.fromkeys((stem, stem.replace(".", "/")))
        above = [folder, self.path.parent, *list(self.path.parent.resolve().parents)[:_ABOVE]]
        for place in above:
            for one in spelled:
                for file in (place / f"{one}.lua", place / one / "init.lua"):
                    if self._allowed(file):
                        return file
        return None

    def _allowed(self, file: Path) -> bool:
        """Whether a file is there, and lies below the definition's folder or the port's root."""
        try:
            real = file.resolve()
            inside = any(real.is_relative_to(folder) for folder in self._readable)
            return inside and real.is_file()
        except (OSError, ValueError):
            return False


def code(path: Path) -> bytes:
    """The text of a file, of a script without its first line.

    Raises:
        ModeldocsError: it cannot be read, or is too large for a definition.
    """
    fix = "give the definition, not the weights"
    text = capped.read(path, MAX_BYTES, file=path.name, what="a definition", fix=fix)
    return b"--" + text if text.startswith(b"#") else text
