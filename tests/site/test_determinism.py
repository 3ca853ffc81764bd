"""The same sources give the same site, byte for byte, whatever the hash seed and the jobs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..commands import run_here, running
from .conftest import write_shown_catalog

FEW = {"lenet": ("pytorch", "caffe"), "mlp-4-hidden": None}
"""Ports that are drawn, proven, compared and run, and a model with records alone."""

CONFIG = """\
site_name: twice
theme: {name: material, font: false}
plugins: [search, modeldocs]
markdown_extensions: [attr_list, md_in_html, tables, toc]
"""

OTHER_SEED = "4711"

DATED = ("sitemap.xml", "sitemap.xml.gz")
"""Files in which MkDocs itself writes the day."""


@pytest.mark.slow
def test_two_builds_differ_in_no_byte(tmp_path: Path, environment: Callable[[str], object]) -> None:
    environment("opencv")
    (tmp_path / "mkdocs.yml").write_text(CONFIG)
    (tmp_path / "docs").mkdir()
    write_shown_catalog(tmp_path / "models", FEW)
    one, two = (tmp_path / "site-one", tmp_path / "site-two")
    for words in commands(one):
        process = run_here(*words, cwd=tmp_path)
        assert process.returncode == 0, process.stdout + process.stderr
    assert os.environ.get("PYTHONHASHSEED") != OTHER_SEED
    for words in commands(two):
        with running(*words, "--jobs", "2", cwd=tmp_path, PYTHONHASHSEED=OTHER_SEED) as process:
            told = "".join(process.communicate())
            assert process.returncode == 0, told
    assert files(one) == files(two)
    differing = [
        name for name in files(one) if (one / name).read_bytes() != (two / name).read_bytes()
    ]
    assert [name for name in differing if name not in DATED] == []


def commands(site: Path) -> Iterator[list[str]]:
    """A port is proven, and the site built, from a store of their own."""
    store = ["--strict", "--store", f"store-of-{site.name}"]
    yield ["verify", "lenet/caffe", *store]
    yield ["build", "--out", str(site), *store]


def files(site: Path) -> list[str]:
    return sorted(str(file.relative_to(site)) for file in site.rglob("*") if file.is_file())
