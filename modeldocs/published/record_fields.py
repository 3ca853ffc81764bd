"""Fields of a record, as plain data, by dotted name: `device.name`."""

from __future__ import annotations

from typing import Any


def section_of(data: Any, name: str) -> tuple[dict[str, Any], str] | None:
    """The section that has a field, and the field's own name; None where a record lacks it."""
    *sections, field = name.split(".")
    for section in sections:
        data = data.get(section) if isinstance(data, dict) else None
    return (data, field) if isinstance(data, dict) and field in data else None
