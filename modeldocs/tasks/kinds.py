"""All kinds of tasks, by name."""

from __future__ import annotations

from typing import Any

from modeldocs.tasks.diff import DIFF
from modeldocs.tasks.doubt import DOUBT
from modeldocs.tasks.draw import DRAW
from modeldocs.tasks.kind import Kind
from modeldocs.tasks.load import LOAD
from modeldocs.tasks.outline import OUTLINE
from modeldocs.tasks.panel import PANEL
from modeldocs.tasks.parity import PARITY
from modeldocs.tasks.proof import PROOF

__all__ = ["DIFF", "DOUBT", "DRAW", "KINDS", "LOAD", "OUTLINE", "PANEL", "PARITY", "PROOF"]

KINDS: dict[str, Kind[Any, Any]] = {
    kind.name: kind for kind in (LOAD, PROOF, OUTLINE, DRAW, DIFF, DOUBT, PARITY, PANEL)
}
