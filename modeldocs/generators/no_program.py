"""The error for a layer that a target has no program for."""

from __future__ import annotations

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Layer


class NoProgramError(ModeldocsError):
    """A layer that a target has no program for."""

    @classmethod
    def of(cls, layer: Layer, reason: str) -> NoProgramError:
        """The error that names a layer, its place in the source, and the reason."""
        first = next((one for one in layer.origins if one.file), None)
        return cls(
            f"{layer.name} ({layer.operator}): {reason}",
            file=first.file if first else None,
            line=first.line if first else None,
        )
