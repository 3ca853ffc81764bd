"""The base of the plain-data classes."""

from __future__ import annotations

import msgspec


class Struct(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Immutable data with named fields; fields at their default are left out of the JSON."""
