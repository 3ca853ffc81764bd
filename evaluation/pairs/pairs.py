"""The pairs: networks of one kind as two packages write them, and how the truth is known."""

from __future__ import annotations

from dataclasses import dataclass

from .nets import Net
from .truth import ORDER, Truth


@dataclass(frozen=True, slots=True)
class Pair:
    """Two networks that are one model; without a truth, two that are not."""

    name: str
    a: Net
    b: Net
    truth: Truth | None = ORDER
