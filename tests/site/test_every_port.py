"""Each layer of the reference in every port: what a porter compares by eye, on one page."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]


def rows(page: Page, model: str) -> Locator:
    page.goto(f"/models/{model}/index.html")
    expect(page.locator("#every-port tbody tr").first).to_be_attached()
    return page.locator("#every-port tbody tr")


def test_the_pads_of_a_pooling_in_every_port(page: Page) -> None:
    """Pads of 0 are said, though one source says nothing of them, and one rounds up."""
    row = rows(page, "alexnet").filter(has_text="pool1")
    texts = row.locator("td").all_inner_texts()
    assert texts[0] == "MaxPool"
    assert all("3×3 pad 0 /2" in text for text in texts[1:3])


def test_a_layer_that_differs_is_marked_and_says_how(page: Page) -> None:
    """The ResNet of Caffe strides in the 1×1 convolution, that of PyTorch in the 3×3."""
    marked = rows(page, "resnet50").locator("td.mr-differs")
    titles = {cell.get_attribute("title") or "" for cell in marked.all()}
    assert any("stride" in title for title in titles)


def test_marks_are_those_of_the_comparison(page: Page, own_site: Path) -> None:
    """No cell of a pair without differences is marked."""
    marked = rows(page, "simple-cnn").locator("td.mr-differs")
    page_of_pair = next((own_site / "models/simple-cnn/diffs").glob("*/index.html"))
    if "mr-verdict-same" in page_of_pair.read_text("utf-8"):
        assert marked.count() == 0


def test_the_table_is_a_file_too(own_site: Path) -> None:
    file = own_site / "models/resnet50/every-port.csv"
    listed = list(csv.DictReader(file.open(encoding="utf-8", newline="")))
    conv = next(row for row in listed if row["operator"] == "Conv")
    assert conv["pytorch"] == "7×7 pad 3 /2"
    assert conv["caffe"] == "7×7 pad 3 /2 bias"


def test_rows_that_differ_are_shown_alone(page: Page) -> None:
    whole = rows(page, "resnet50").count()
    page.locator("select[name=differs]").select_option("yes")
    assert 0 < page.locator("#every-port tbody tr:visible").count() < whole
