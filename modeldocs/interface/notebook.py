"""Reports in notebooks: a whole HTML file in a frame of its own.

Styles and scripts of a report thus meet none of the notebook's, whichever program shows it. The
frame runs the report's scripts without access to the notebook, and is light or dark as the reader's
system is.
"""

from __future__ import annotations

import html
from typing import Final

_FRAME: Final = (
    '<iframe title="{title}" sandbox="allow-scripts" srcdoc="{document}" '
    'style="display: block; width: 100%; height: {height}px; border: 1px solid #8886; '
    'border-radius: 4px; resize: vertical; overflow: auto"></iframe>'
)


def frame(title: str, document: str, height: int) -> str:
    """An HTML file as a part of a notebook; `height` in CSS pixels, which a reader may change."""
    return _FRAME.format(
        title=html.escape(title), document=html.escape(document, quote=True), height=height
    )
