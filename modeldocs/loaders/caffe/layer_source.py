"""One layer as a definition gives it."""

from __future__ import annotations

from dataclasses import dataclass

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin
from modeldocs.loaders.caffe.record import Record


@dataclass(frozen=True, slots=True)
class LayerSource:
    """One layer as the source gives it; `type` is the current name of an old enum's value."""

    name: str
    type: str
    bottoms: tuple[str, ...]
    tops: tuple[str, ...]
    record: Record

    @property
    def line(self) -> int | None:
        """Line that the layer starts on; a binary file has none."""
        return self.record.place.line or None

    @property
    def where(self) -> str:
        """The layer's place as a sentence names it."""
        return f"line {self.line}" if self.line else f"layer {self.name!r}"

    def origin(self) -> Origin:
        """The layer as a node's provenance tells it: every field but its name and type."""
        attributes = (self.record.former or self.record).plain()
        attributes.pop("name", None)
        if attributes.get("type") == self.type:
            del attributes["type"]
        return Origin(
            operator=self.type,
            name=self.name,
            attributes=attributes,
            file=self.record.file,
            line=self.line,
        )

    def error(self, reason: str, *, at: str | None = None, fix: str) -> ModeldocsError:
        """The error to raise, naming the layer."""
        return self.record.error(f"layer {self.name!r} ({self.type}) {reason}", at=at, fix=fix)
