"""One layer of a network definition."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Origin
from modeldocs.loaders.caffe.format.record import CaffeMessage


@dataclass(frozen=True, slots=True)
class CaffeLayer:
    """A layer as the source defines it; `type` is its current name, also of an old enum's value."""

    name: str
    type: str
    bottoms: tuple[str, ...]
    tops: tuple[str, ...]
    record: CaffeMessage

    @property
    def line(self) -> int | None:
        """Line that the layer starts on; None in a binary file."""
        return self.record.place.line or None

    @property
    def where(self) -> str:
        """The layer's place, as messages name it."""
        return f"line {self.line}" if self.line else f"layer {self.name!r}"

    def origin(self) -> Origin:
        """The origin of the layer's nodes, with all of its fields but name and type."""
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

    def lacks_label(self, missing: str) -> bool:
        """Whether the layer is a loss and a blob that no layer makes is its label.

        A name much like that of its prediction is taken for a typing error instead.
        """
        similar = any(
            difflib.SequenceMatcher(None, missing, name).ratio() > 0.8 for name in self.bottoms[:1]
        )
        return is_loss(self.type) and missing in self.bottoms[1:] and not similar

    def error(self, reason: str, *, at: str | None = None, fix: str) -> ModeldocsError:
        """The error to raise, naming the layer, at the place of the field `at`."""
        return self.record.error(f"layer {self.name!r} ({self.type}) {reason}", at=at, fix=fix)


def is_loss(kind: str) -> bool:
    """Whether a layer type serves training alone, by its name."""
    return "Loss" in kind or kind == "Accuracy"
