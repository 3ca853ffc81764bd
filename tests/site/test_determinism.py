"""The same sources give the same site, byte for byte, whatever Python's hash seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import build_shown

pytestmark = pytest.mark.xdist_group("own site")

DATED = ("sitemap.xml", "sitemap.xml.gz")
"""Files in which MkDocs itself writes the day."""


def test_two_builds_differ_in_no_byte(
    own_site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "4711")
    build_shown(own_site.parent / "models", tmp_path / "store", tmp_path / "site")
    assert files(tmp_path / "site") == files(own_site)
    other = [
        name
        for name in files(own_site)
        if (own_site / name).read_bytes() != (tmp_path / "site" / name).read_bytes()
    ]
    assert [name for name in other if name not in DATED] == []


def files(site: Path) -> list[str]:
    return sorted(str(file.relative_to(site)) for file in site.rglob("*") if file.is_file())
