"""The same sources give the same site, byte for byte, whatever Python's hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import REPOSITORY

pytestmark = pytest.mark.xdist_group("own site")

DATED = ("sitemap.xml", "sitemap.xml.gz")
"""Files in which MkDocs itself writes the day."""


def test_two_builds_differ_in_no_byte(own_site: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "modeldocs", "build", "--strict"]
    places = ["--out", str(tmp_path / "site"), "--store", str(tmp_path / "store")]
    made = subprocess.run(
        [*command, *places],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert files(tmp_path / "site") == files(own_site)
    for name in files(own_site):
        if name not in DATED:
            assert (tmp_path / "site" / name).read_bytes() == (own_site / name).read_bytes(), name


def files(site: Path) -> list[str]:
    return sorted(str(file.relative_to(site)) for file in site.rglob("*") if file.is_file())
