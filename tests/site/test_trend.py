"""What is new in the catalog: noted build by build in the store, told on the home page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from lxml import html

from modeldocs.site.catalog import trend
from modeldocs.site.catalog.trend import PortStanding, Standing
from modeldocs.tasks.store import Store

from ..commands import run_here

REPOSITORY = Path(__file__).parents[2]
RIGHT = PortStanding("verified", "same")
WRONG = PortStanding("verified", "different-results")
OPEN = PortStanding("not verified")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "store").mkdir()
    return Store(tmp_path / "store")


def test_a_build_that_finds_the_same_leaves_no_entry(store: Store) -> None:
    for day in ("2026-11-01", "2026-11-02"):
        found = trend.note(store, "models", {"net/a": OPEN}, day)
    assert [one.date for one in found] == ["2026-11-01"]
    assert trend.compared(found) == []


def test_the_last_build_of_a_day_counts(store: Store) -> None:
    trend.note(store, "models", {"net/a": OPEN}, "2026-11-01")
    trend.note(store, "models", {"net/a": WRONG, "net/b": OPEN}, "2026-11-02")
    trend.note(store, "models", {"net/a": RIGHT}, "2026-11-02")
    first, last = trend.past(store, "models")
    assert (first.ports, last.ports) == ({"net/a": OPEN}, {"net/a": RIGHT})
    assert last.states == {"verified": 1}
    assert last.steps == {"same": 1}


def test_a_day_that_ends_as_the_one_before_is_no_entry(store: Store) -> None:
    trend.note(store, "models", {"net/a": OPEN}, "2026-11-01")
    trend.note(store, "models", {"net/a": WRONG}, "2026-11-02")
    trend.note(store, "models", {"net/a": OPEN}, "2026-11-02")
    assert [one.date for one in trend.past(store, "models")] == ["2026-11-01"]


def test_ports_that_are_gone_and_catalogs_beside_it_are_told_apart(store: Store) -> None:
    trend.note(store, "models", {"net/a": OPEN, "net/b": OPEN}, "2026-11-01")
    trend.note(store, "others", {"other/a": OPEN}, "2026-11-02")
    before, after = trend.note(store, "models", {"net/b": RIGHT, "net/c": OPEN}, "2026-11-03")
    told = [(one.port, one.before, one.after) for one in trend.news(before, after)]
    assert told == [("net/a", OPEN, None), ("net/b", OPEN, RIGHT), ("net/c", None, OPEN)]


def test_the_last_is_compared_with_the_day_before_and_with_a_week_ago() -> None:
    days = ["2026-11-01", "2026-11-10", "2026-11-20", "2026-11-25", "2026-11-28"]
    standings = [Standing(date=day, ports={}) for day in days]
    assert [one.date for one in trend.compared(standings)] == ["2026-11-25", "2026-11-20"]
    assert [one.date for one in trend.compared(standings[:2])] == ["2026-11-01"]


def test_old_entries_become_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trend, "MOST", 3)
    for day in range(1, 8):
        state = RIGHT if day % 2 else WRONG
        trend.note(store, "models", {"net/a": state, f"net/{day}": OPEN}, f"2026-11-0{day}")
    found = trend.past(store, "models")
    assert [one.date for one in found] == ["2026-11-05", "2026-11-06", "2026-11-07"]
    assert found[0].ports == {"net/a": RIGHT, "net/5": OPEN}


def test_a_damaged_file_is_a_past_that_is_not_known(store: Store) -> None:
    trend.note(store, "models", {"net/a": OPEN}, "2026-11-01")
    (file,) = (store.folder / "trend").iterdir()
    file.write_text("[{")
    assert trend.past(store, "models") == []


def test_the_home_page_says_what_is_new_and_the_proofs_count(tmp_path: Path) -> None:
    own = tmp_path / "models" / "lenet"
    own.mkdir(parents=True)
    shutil.copy(REPOSITORY / "models" / "lenet" / "caffe.prototxt", own)
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: own\ntheme: {name: material, font: false}\n"
        "plugins: [search, {modeldocs: {parity: false}}]\n"
        "markdown_extensions: [attr_list, md_in_html, tables]\n"
    )
    (tmp_path / "docs").mkdir()
    assert run_here("build", cwd=tmp_path).returncode == 0
    (file,) = (tmp_path / ".modeldocs" / "trend").iterdir()
    file.write_text(file.read_text().replace('"date":"2', '"date":"1'))
    shutil.copy(REPOSITORY / "models" / "lenet" / "model.onnx", own)
    assert run_here("build", cwd=tmp_path).returncode == 0
    text = " ".join(
        html.parse(tmp_path / "site" / "index.html").find(".//article").text_content().split()
    )
    assert "lenet/onnx: new, ○ not verified" in text
    proofs = html.parse(tmp_path / "site" / "proofs" / "index.html")
    rows = proofs.xpath("//h2[@id='trend']/following::tbody[1]/tr")
    assert [row.xpath("string(td[1])") for row in rows] == ["2", "1"]
