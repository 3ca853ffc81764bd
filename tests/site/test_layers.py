"""The layers of a port in headless Chromium: table, diagram and source in step."""

from __future__ import annotations

import csv
import gzip
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from modeldocs.site import data_file

from ..browser import OpenTab

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

PORT = "models/resnet50/ports/pytorch/index.html"
LONG = "models/resnet50/ports/caffe/index.html"
ROWS = "#layers-table tbody tr[id]"
LIMIT = 60 * 1024
"""Bytes of a page's first view, gzipped: its HTML, and our style sheet and script."""


@pytest.fixture
def layers(page: Page) -> Page:
    page.goto(f"/{PORT}")
    return page


@pytest.fixture
def opened(open_tab: OpenTab) -> Page:
    """A page that opens files, without a server."""
    return open_tab(viewport={"width": 1440, "height": 900})


def choose(page: Page, name: str, value: str) -> None:
    page.locator(f"select[name={name}]").select_option(value)


def in_frame(page: Page, selector: str, frame: str) -> bool:
    """Whether an element lies in the view of the frame that scrolls it."""
    return bool(
        page.evaluate(
            """([selector, frame]) => {
              const element = document.querySelector(selector);
              const [a, b] = [element, element.closest(frame)].map(e => e.getBoundingClientRect());
              return a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
            }""",
            [selector, frame],
        )
    )


def test_a_port_is_light_at_first_view(own_site: Path) -> None:
    assets = [own_site / "assets/modeldocs.css", own_site / "assets/modeldocs.js"]
    ours = sum(len(gzip.compress(file.read_bytes())) for file in assets)
    for file in sorted(own_site.glob("models/*/ports/*/index.html")):
        assert ours + len(gzip.compress(file.read_bytes())) < LIMIT, file


@pytest.mark.parametrize("path", [PORT, LONG])
def test_what_a_porter_needs_fits_the_window(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"/{path}")
    frame = page.locator(".mr-tall")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    heads = page.locator("#layers-table thead th:visible").all_inner_texts()
    wanted = "# Name Operator Settings Input Output Parameters Not MACs Source"
    assert [head.split()[0] for head in heads] == wanted.split()
    assert "7×7 /2 pad 3" in page.locator("#conv-1 .mr-settings").inner_text().replace("  ", " ")


def test_totals_add_up_and_tell_statistics_apart(layers: Page) -> None:
    total = layers.locator("#layers-table tfoot tr").last.inner_text()
    for figure in ("25,557,032", "53,120", "alive, at"):
        assert figure in total
    for table in ("#layers-table tbody", "#operators-table tbody"):
        column = 7 if "layers" in table else 3
        cells = layers.locator(f"{table} tr > :nth-child({column})").all_inner_texts()
        assert sum(int(text.replace(",", "")) for text in cells if text) == 25_557_032


def test_filters_by_operator_module_and_setting_stay_in_the_address(layers: Page) -> None:
    choose(layers, "operator", "Conv")
    expect(layers.locator(ROWS)).to_have_count(53)
    choose(layers, "setting", "strides 2,2")
    choose(layers, "module", "layer3")
    expect(layers.locator(ROWS)).to_have_count(2)
    assert "2 of 174 layers" in layers.locator(".mr-filter output").inner_text()
    assert layers.locator(".mr-shown").inner_text().split()[:2] == ["Shown", "2"]
    layers.get_by_role("button", name="MACs").first.click()
    layers.reload()
    expect(layers.locator(ROWS)).to_have_count(2)
    assert layers.locator("#layers-table th[aria-sort=ascending]").inner_text().startswith("MACs")


def test_words_are_found_together_and_x_is_a_multiplication_sign(layers: Page) -> None:
    layers.keyboard.press("/")
    layers.keyboard.type("layer4 3x3")
    expect(layers.locator(ROWS)).to_have_count(3)
    layers.keyboard.press("Escape")
    layers.locator(".mr-tall:focus").wait_for()


def test_rows_that_are_shown_are_copied_and_downloaded(layers: Page) -> None:
    choose(layers, "operator", "Gemm")
    with layers.expect_download() as download:
        layers.get_by_role("button", name="Download CSV").click()
    [row] = csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8")))
    assert (row["Name"], row["Parameters"], row["MACs"]) == ("fc", "2049000", "2048000")
    layers.context.grant_permissions(["clipboard-read", "clipboard-write"])
    layers.get_by_role("button", name="Copy Markdown").click()
    expect(layers.locator(".mr-notice")).to_have_text("1 rows copied.")
    text = layers.evaluate("navigator.clipboard.readText()")
    assert text.splitlines()[1].startswith("| --- |") and "| fc | Gemm |" in text


def test_cumulative_shares_follow_the_order(layers: Page) -> None:
    layers.get_by_label("cumulative share").check()
    macs = layers.get_by_role("button", name="MACs").first
    macs.click()
    macs.click()
    shares = layers.locator("#layers-table tbody td.mr-share + td.mr-share")
    expect(shares.first).to_have_text("2.9 %")
    expect(shares.last).to_have_text("100.0 %")


def test_a_layer_is_selected_everywhere_at_once_and_back_undoes_it(layers: Page) -> None:
    layers.locator("#conv-30 th a").click()
    expect(layers.locator("tr.mr-selected")).to_have_id("conv-30")
    layers.locator(".mr-card").wait_for()
    assert layers.url.endswith("?layer=layer3.1.conv2#conv-30")
    assert in_frame(layers, "tr.mr-selected", ".mr-tall")
    # Of five equal groups the first is drawn, and stands for its layer.
    assert "Conv 3×3" in (layers.locator(".mr-overview .mr-lit").text_content() or "")
    assert "self.conv2" in layers.locator(".mr-marked-line").inner_text()
    assert in_frame(layers, ".mr-marked-line", ".mr-source")
    assert "self.conv2" in layers.locator(".mr-card").inner_text()
    layers.go_back()
    expect(layers.locator("tr.mr-selected")).to_have_count(0)
    expect(layers.locator(".mr-path")).to_be_hidden()


def test_a_box_selects_its_row_and_keys_walk_along_edges(layers: Page) -> None:
    layers.locator(".mr-overview svg a", has_text="MaxPool").click()
    expect(layers.locator("tr.mr-selected")).to_have_id("maxpool-1")
    assert in_frame(layers, "tr.mr-selected", ".mr-tall")
    for key, wanted in (
        ("ArrowDown", "conv-2"),
        ("ArrowRight", "conv-5"),
        ("ArrowLeft", "conv-2"),
        ("ArrowUp", "maxpool-1"),
        ("ArrowUp", "relu-1"),
    ):
        layers.keyboard.press(key)
        expect(layers.locator("tr.mr-selected")).to_have_id(wanted)
    layers.keyboard.press("Escape")
    expect(layers.locator("tr.mr-selected")).to_have_count(0)
    assert "#" not in layers.url


def test_the_table_is_one_stop_of_the_tab_key(layers: Page) -> None:
    stops = layers.locator("#layers-table tbody").locator("a, summary")
    assert stops.evaluate_all("all => all.filter(one => one.tabIndex === 0).length") == 1
    layers.locator("#conv-1 th a").focus()
    layers.keyboard.press("ArrowDown")
    assert layers.evaluate("document.activeElement.closest('tr').id") == "batchnormalization-1"
    layers.keyboard.press("/")
    layers.keyboard.type("fc")
    expect(layers.locator(ROWS)).to_have_count(1)
    layers.keyboard.press("Enter")
    expect(layers.locator("tr.mr-selected")).to_have_id("gemm-1")


def test_a_group_of_the_diagram_is_shown_alone_in_the_table(layers: Page) -> None:
    layers.locator(".mr-overview svg a", has_text="2 × Bottleneck").first.focus()
    layers.keyboard.press("Enter")
    layers.locator(".mr-only").wait_for()
    expect(layers.locator(ROWS)).to_have_count(20)
    layers.get_by_text("Show all layers").click()
    expect(layers.locator(ROWS)).to_have_count(174)


def test_the_table_folds_by_the_groups_of_the_diagram(layers: Page) -> None:
    layers.get_by_label("by group").check()
    group = layers.locator("tr.mr-group", has_text="2 × Bottleneck").first
    group.wait_for()
    assert "140,800" in group.inner_text()
    before = layers.locator("#layers-table tbody tr").count()
    assert before < 25
    group.get_by_role("button").click()
    expect(layers.locator("#layers-table tbody tr")).to_have_count(before + 2)
    assert "grouped=on" in layers.url


@pytest.mark.parametrize(
    ("link", "wanted", "remark"),
    [
        ("?layer=layer1.0.conv2#conv-3", "conv-3", ""),
        ("#conv-3", "conv-3", ""),
        ("?layer=layer1.0.conv2#conv-4", "conv-3", "added or removed before"),
        ("?layer=its.old.name#conv-3", "conv-3", "was made for a layer named its.old.name"),
        ("?layer=gone#conv-99", "conv-53", "is not in this port any more"),
    ],
)
def test_a_link_survives_other_names_and_other_layers(
    page: Page, link: str, wanted: str, remark: str
) -> None:
    page.goto(f"/{PORT}{link}")
    expect(page.locator("tr.mr-selected")).to_have_id(wanted)
    assert remark in page.locator(".mr-notice").inner_text()


def test_a_long_source_is_loaded_for_the_line_of_a_layer(page: Page, own_site: Path) -> None:
    page.goto(f"/{LONG}")
    assert page.locator(".mr-line").count() == 0
    page.locator("#conv-2 .mr-place a").click()
    expect(page.locator(".mr-line:target")).to_be_visible()
    line = int(page.url.rpartition("-")[2])
    shown = page.locator(".mr-line:target").inner_text()
    text = ((own_site / LONG).parent / "source/1.txt").read_text("utf-8")
    assert shown.strip() == text.splitlines()[line - 1].strip() != ""
    page.goto("/")
    page.goto(f"/{LONG}#source-1-{line}")
    expect(page.locator(".mr-line:target")).to_be_in_viewport()


def test_the_diagram_folds_away_and_stays_so(layers: Page) -> None:
    layers.locator(".mr-overview > summary").click()
    expect(layers.locator(".mr-overview svg.mr-diagram")).to_be_hidden()
    # The browser tells the page that it was folded only after it was drawn so.
    layers.wait_for_function("Object.values(localStorage).includes('closed')")
    layers.goto(f"/{LONG}")
    expect(layers.locator(".mr-overview svg.mr-diagram")).to_be_hidden()


def test_a_wide_window_shows_diagram_and_table_side_by_side(layers: Page) -> None:
    for width, beside in ((1440, False), (1920, True)):
        layers.set_viewport_size({"width": width, "height": 1080})
        diagram = layers.locator(".mr-overview").bounding_box()
        table = layers.locator("#layers-table").bounding_box()
        assert diagram is not None
        assert table is not None
        assert (diagram["x"] + diagram["width"] <= table["x"]) is beside
        assert layers.evaluate("innerWidth - document.documentElement.scrollWidth") >= 0


def test_a_drawing_larger_than_its_frame_has_a_map(layers: Page) -> None:
    small = layers.locator(".mr-map")
    expect(small).to_be_hidden()
    for _ in range(8):
        layers.get_by_role("button", name="Zoom in").click()
    expect(small).to_be_visible()
    view = layers.locator(".mr-map-view").bounding_box()
    whole = small.bounding_box()
    assert view and whole and view["height"] < whole["height"] / 2
    layers.get_by_role("button", name="Fit the drawing").click()
    expect(small).to_be_hidden()


def test_a_page_opened_as_a_file_opens_groups_and_selects_layers(
    opened: Page, own_site: Path
) -> None:
    opened.goto(f"{(own_site / PORT).as_uri()}#conv-30")
    expect(opened.locator("tr.mr-selected")).to_have_id("conv-30")
    opened.locator(".mr-path a", has_text="Overview").click()
    opened.locator(".mr-overview svg a", has_text="2 × Bottleneck").first.click()
    opened.locator(".mr-path").get_by_text("2 × Bottleneck").wait_for()
    assert opened.url.startswith("file:")


def test_without_javascript_all_rows_are_there_and_all_columns_in_a_file(
    open_tab: OpenTab, address: str, own_site: Path
) -> None:
    tab = open_tab(java_script_enabled=False)
    tab.goto(f"{address}/{PORT}")
    expect(tab.locator(ROWS)).to_have_count(174)
    name = tab.get_by_text("All rows and columns").get_attribute("href")
    assert name
    table = list(csv.DictReader(((own_site / PORT).parent / name).read_text().splitlines()))
    assert len(table) == 174
    assert {"pads", "epsilon", "origin"} <= set(table[0])


def test_a_port_prints_without_blank_pages_or_cut_columns(layers: Page) -> None:
    layers.emulate_media(media="print")
    layers.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins, at 96 dpi
    assert layers.evaluate("document.documentElement.scrollWidth") <= 718
    for selector in ("#layers-table", ".mr-overview svg.mr-diagram"):
        box = layers.locator(selector).bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 719, selector
    layers.emulate_media(media=None)
    margins = dict.fromkeys(("top", "right", "bottom", "left"), "10mm")
    printed = layers.pdf(format="A4", margin=margins)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 12


LONG_TABLE = """<!doctype html><meta charset=utf-8><link rel=stylesheet href=modeldocs.css>
<form class="mr-filter" data-for="t" hidden><input name="text">
<input type="checkbox" name="grouped"><input type="checkbox" name="columns">
<input type="checkbox" name="shares"><output></output></form>
<div class="mr-scroll mr-tall"><table id="t" data-sortable data-rows="layers.js" data-total="10000">
<thead><tr><th data-key="index">#</th><th data-key="name">Name</th></tr></thead>
<tbody></tbody><tfoot><tr><td></td><td></td><td></td></tr></tfoot></table></div>
<script src="modeldocs.js"></script>"""


def test_ten_thousand_rows_are_in_the_document_only_where_they_are_in_view(
    opened: Page, own_site: Path, tmp_path: Path
) -> None:
    row = '<tr id="conv-{0}"><td>{0}</td><th>layer{0}</th></tr>'
    rows = [[row.format(number)] for number in range(1, 10_001)]
    data = {"rows": rows, "groups": [], "inputs": []}
    (tmp_path / "index.html").write_text(LONG_TABLE)
    (tmp_path / "layers.js").write_bytes(data_file.script(data))
    for name in ("modeldocs.css", "modeldocs.js"):
        (tmp_path / name).write_bytes((own_site / "assets" / name).read_bytes())
    opened.goto((tmp_path / "index.html").as_uri())
    field = opened.locator("input[name=text]")
    field.fill("layer9")
    expect(opened.locator("output")).to_have_text("1,111 of 10,000 layers")
    assert opened.locator("tbody tr").count() < 200
    opened.locator(".mr-tall").evaluate("frame => { frame.scrollTop = frame.scrollHeight; }")
    expect(opened.locator("#conv-9999")).to_be_visible()
    # Time of the thread, whatever else runs on the machine.
    session = opened.context.new_cdp_session(opened)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def script_time() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")

    before = script_time()
    field.fill("layer98")
    expect(opened.locator("output")).to_have_text("111 of 10,000 layers")
    assert script_time() - before < 0.5
