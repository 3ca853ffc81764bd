"""Pages tell what changed in a port, when and by whom, and who looks after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html

from tests.repositories import History, caffe

from ..commands import run_here

FILE = "models/net/caffe.prototxt"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The site of a catalog in a repository: a port of two versions, one of them from before it was
    renamed, and an owner.
    """
    made = History(tmp_path / "repository")
    made.commit({"models/old/caffe.prototxt": caffe()}, "Add")
    made.git("mv", "models/old", "models/net")
    made.commit({"CODEOWNERS": "models/net/ @org/vision\n"}, "Rename")
    made.commit({FILE: caffe(num_output=8)}, "Widen it")
    process = run_here("build", "--no-parity", cwd=made.folder)
    assert process.returncode == 0, process.stdout + process.stderr
    return made.folder / "site"


def test_what_was_compared_at_the_terminal_is_on_the_page(site: Path) -> None:
    folder = site.parent
    assert run_here("history", cwd=folder).returncode == 0
    assert run_here("build", "--no-parity", cwd=folder).returncode == 0
    page = html.fromstring((site / "models/net/ports/caffe/index.html").read_text("utf-8"))
    widened, renamed, added = page.xpath("//div[@aria-label='Versions']/table/tbody/tr/td[4]")
    told = " ".join(widened.text_content().split())
    assert told.startswith("changed ≠ different")
    assert "4 → 8" in told
    assert renamed.text_content() == "renamed, not the network"
    assert added.text_content() == "added"
    told = " ".join(page.xpath("//h2[@id='history']/following::p")[0].text_content().split())
    assert "modeldocs history" not in told


def text(site: Path, page: str, where: str) -> str:
    """The text of an element of a page, by its id."""
    root = html.fromstring((site / page).read_text("utf-8"))
    found = root.xpath(f"//*[@id='{where}']")[0]
    return " ".join(found.text_content().split())


def test_a_port_has_its_versions_and_its_owner(site: Path) -> None:
    page = html.fromstring((site / "models/net/ports/caffe/index.html").read_text("utf-8"))
    table = page.xpath("//div[@aria-label='Versions']/table")[0]
    rows = [[cell.text_content() for cell in row] for row in table.xpath("tbody/tr")]
    assert [row[:4] for row in rows] == [
        ["2026-01-01", "Ada", "Widen it", "changed"],
        ["2026-01-01", "Ada", "Rename", "renamed"],
        ["2026-01-01", "Ada", "Add", "added"],
    ]
    told = " ".join(page.xpath("//h2[@id='history']/following::p")[0].text_content().split())
    assert told.startswith("Owner: @org/vision. Last changed on 2026-01-01 by Ada; 3 versions.")
    assert "modeldocs history net/caffe" in told
    proofs = text(site, "proofs/index.html", "proof-table")
    assert "Last changed" in proofs and "@org/vision" in proofs
    home = (site / "index.html").read_text("utf-8")
    assert ">Last changed" in home and "was changed by Ada" in " ".join(home.split())
