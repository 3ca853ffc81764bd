"""Drawings and charts are saved as they are seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree
from playwright.sync_api import Locator, Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

PORT, BENCHMARKS = "models/resnet50/ports/pytorch/index.html", "models/lenet/benchmarks/index.html"
SVG = "{http://www.w3.org/2000/svg}"


def save(page: Page, menu: Locator, kind: str, folder: Path) -> Path:
    """Save by a menu, as a file of that kind."""
    menu.locator("summary").click()
    with page.expect_download() as started:
        menu.get_by_role("button", name=kind).click()
    file = folder / started.value.suggested_filename
    started.value.save_as(file)
    return file


def test_a_diagram_is_saved_with_its_colours_and_the_groups_that_are_open(
    page: Page, tmp_path: Path
) -> None:
    page.goto(f"/{PORT}")
    menu = page.locator(".mr-zoom .mr-save")
    folded = save(page, menu, "SVG", tmp_path)
    assert folded.name == "resnet-50-in-pytorch-overview-resnet50.svg"
    root = etree.parse(folded).getroot()
    assert root[0].tag == f"{SVG}rect" and root[0].get("fill") == "#fff"
    text = folded.read_text("utf-8")
    assert "var(" not in text and "class=" not in text and "<a " not in text
    assert "Bottleneck" in text and "layer1.0.conv2" not in text
    page.locator(".mr-levels > summary").click()
    page.locator(".mr-levels a[data-level]").first.click()
    page.locator(".mr-diagram", has_text="layer1.0.conv2").wait_for()
    assert "layer1.0.conv2" in save(page, menu, "SVG", tmp_path).read_text("utf-8")


def test_a_picture_is_of_the_light_scheme_and_may_be_transparent(
    page: Page, tmp_path: Path
) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"/{PORT}")
    menu = page.locator(".mr-zoom .mr-save")
    menu.locator("summary").click()
    menu.get_by_label("transparent").check()
    menu.locator("summary").click()
    root = etree.parse(save(page, menu, "SVG", tmp_path)).getroot()
    assert root[0].tag == f"{SVG}g"
    dark = "rgb(27, 31, 36)"
    assert dark in {text.get("fill") for text in root.iter(f"{SVG}text")}


def test_a_picture_of_pixels_has_two_for_each_unit(page: Page, tmp_path: Path) -> None:
    page.goto(f"/{PORT}")
    width = page.locator(".mr-overview .mr-diagram").first.evaluate(
        "svg => svg.viewBox.baseVal.width"
    )
    data = save(page, page.locator(".mr-zoom .mr-save"), "PNG", tmp_path).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(data[16:20], "big") == round(2 * width)


def test_a_chart_is_saved_too(page: Page, tmp_path: Path) -> None:
    page.goto(f"/{BENCHMARKS}")
    assert page.locator(".mr-save").count() == page.locator(".mr-chart:has(> svg)").count() > 0
    text = save(page, page.locator(".mr-save").first, "SVG", tmp_path).read_text("utf-8")
    assert "samples per second" in text and "var(" not in text
