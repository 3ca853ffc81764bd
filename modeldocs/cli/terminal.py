"""Text of others on the terminal: their control characters are shown, not obeyed."""

from __future__ import annotations

from modeldocs import spelling


def safe(text: str) -> str:
    """`text` line by line, without characters that a terminal acts on."""
    return "\n".join(spelling.visible(line) for line in text.splitlines())
