"""The same sources give the same site, byte for byte, whatever the hash seed and the jobs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import run_build, run_command, write_shown_catalog

FEW = {"lenet": ("pytorch", "caffe"), "mlp-4-hidden": None}
"""Ports that are drawn, proven, compared and run, and a model with records alone."""

CONFIG = """\
site_name: twice
theme: {name: material, font: false}
plugins: [search, modeldocs]
markdown_extensions: [attr_list, md_in_html, tables, toc]
"""

DATED = ("sitemap.xml", "sitemap.xml.gz")
"""Files in which MkDocs itself writes the day."""


@pytest.mark.slow
def test_two_builds_differ_in_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: Callable[[str], object]
) -> None:
    environment("opencv")
    (tmp_path / "mkdocs.yml").write_text(CONFIG)
    (tmp_path / "docs").mkdir()
    write_shown_catalog(tmp_path / "models", FEW)
    sites = []
    for seed, jobs in (("0", "1"), ("4711", "2")):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        where = ["--store", str(tmp_path / seed), "--jobs", jobs]
        site = tmp_path / f"site-{seed}"
        for process in (
            run_command("verify", tmp_path, "lenet/caffe", "--strict", *where),
            run_build(tmp_path, "--out", str(site), "--strict", *where),
        ):
            assert process.returncode == 0, process.stdout + process.stderr
        sites.append(site)
    one, two = sites
    assert files(one) == files(two)
    differing = [
        name for name in files(one) if (one / name).read_bytes() != (two / name).read_bytes()
    ]
    assert [name for name in differing if name not in DATED] == []


def files(site: Path) -> list[str]:
    return sorted(str(file.relative_to(site)) for file in site.rglob("*") if file.is_file())
