"""A preview as a reader sees it: all changes, then a port before and after."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from modeldocs.cli import main
from tests.repositories import History, caffe

from ...browser import AXE, OpenTab
from ..test_every_page import BELOW, BROKEN, SPARE, Watch
from ..test_layout import FOUND, OF_COLOUR, OF_THE_THEME

pytestmark = [pytest.mark.browser]

PAGES = ("changes/index.html", "changes/a/caffe/index.html", "changes/b/caffe/index.html")


@pytest.fixture
def address(history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, serve) -> str:
    """The address of the preview of a branch with four kinds of changes."""
    history.branch("change")
    history.commit(
        {
            "models/a/caffe.prototxt": caffe(kernel_size=5),
            "models/a/second.prototxt": "# the same\n" + caffe(),
            "models/b/caffe.prototxt": "layer { name: ",
            "models/c/caffe.prototxt": caffe(),
        }
    )
    monkeypatch.chdir(history.folder)
    words = ["preview", "--base", "main", "--out", str(tmp_path / "out"), "--jobs", "1"]
    result = CliRunner().invoke(main, [*words, "--no-verify"], prog_name="modeldocs")
    assert result.exit_code == 0, result.output
    return serve(tmp_path / "out" / "site")


def test_a_reviewer_reads_it(address: str, open_tab: OpenTab) -> None:
    tab = open_tab(reduced_motion="reduce")
    watch = Watch(tab, address)
    for page in PAGES:
        for width in (1400, 360):
            tab.set_viewport_size({"width": width, "height": 900})
            tab.goto(f"{address}/{page}", wait_until="load")
            assert tab.evaluate(SPARE, width) >= 0, (page, width)
            assert tab.evaluate(BELOW) <= 1, (page, width)
            assert tab.evaluate(BROKEN) == [], (page, width)
        tab.add_script_tag(path=str(AXE))
        assert tab.evaluate(FOUND, [None, OF_THE_THEME]) == [], page
    assert watch.heard == []

    dark = open_tab(color_scheme="dark")
    for page in PAGES:
        dark.goto(f"{address}/{page}")
        dark.add_script_tag(path=str(AXE))
        assert dark.evaluate(FOUND, [OF_COLOUR, OF_THE_THEME]) == [], page

    tab.goto(f"{address}/{PAGES[0]}")
    article = tab.locator("article")
    assert "1 broken (b/caffe)" in article.inner_text()
    rows = article.locator("tbody tr th").all_inner_texts()
    assert rows == ["b/caffe", "a/caffe", "c/caffe", "a/second"]
    article.get_by_role("link", name="a/caffe").click()
    article = tab.locator("article")
    assert article.locator("h1").inner_text().startswith("a: caffe, before and after")
    assert "Different results" in article.locator(".mr-verdict-headline").inner_text()
    assert "kernel_shape 3 → 5" in article.inner_text()
    pictures = article.locator(".mr-thumbnails img")
    assert pictures.evaluate_all("all => all.map(one => one.naturalWidth > 0)") == [True, True]
    assert tab.locator(".mr-overview svg, .mr-twin svg").count() >= 2
    article.get_by_role("link", name="Caffe port").click()
    assert "Conv 5×5" in tab.locator("article").inner_text()
