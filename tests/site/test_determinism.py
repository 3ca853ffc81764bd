"""The same sources give the same site, byte for byte, whatever Python's hash seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import PROVEN, REPOSITORY, run_build, run_command

pytestmark = pytest.mark.xdist_group("own site")

DATED = ("sitemap.xml", "sitemap.xml.gz")
"""Files in which MkDocs itself writes the day."""


def test_two_builds_differ_in_no_byte(
    own_site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "4711")
    places = ["--models", str(own_site.parent / "models"), "--store", str(tmp_path / "store")]
    proven = run_command("verify", REPOSITORY, *PROVEN, *places)
    assert proven.returncode == 0, proven.stderr
    made = run_build(REPOSITORY, "--strict", "--out", str(tmp_path / "site"), *places)
    assert made.returncode == 0, made.stderr


def files(site: Path) -> list[str]:
    return sorted(str(file.relative_to(site)) for file in site.rglob("*") if file.is_file())
