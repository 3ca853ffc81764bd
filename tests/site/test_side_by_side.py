"""Two ports side by side in Chromium: rows, folded runs, keys, and the two diagrams."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from modeldocs import package_data
from modeldocs.diff import compare
from modeldocs.ir import LayerGraph
from modeldocs.site import data_file
from modeldocs.site.pair import comparison
from modeldocs.site.pair.comparison import MAX_ROWS, Setting
from modeldocs.site.templating import Templates

from ..browser import OpenTab
from ..diff.graphs import Net

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

DIFF = "models/resnet50/diffs/pytorch-vs-caffe/index.html"
SELECTED = "#alignment tr[aria-selected=true]"


def row(page: Page, identity: str) -> Locator:
    return page.locator(f"#alignment tr:has(#{identity})")


def test_a_row_tells_what_differs_with_a_sign_and_in_words(page: Page) -> None:
    page.goto(f"/{DIFF}")
    gutter = row(page, "a-maxpool-1").locator(".mr-gutter")
    assert re.match(r"≠\s*differs\s*pads 1 → 0,0,1,1", gutter.inner_text())
    gutter.get_by_text("pads 1 → 0,0,1,1").click()
    assert re.search(r"#change-\d+$", page.url)
    end = row(page, "b-softmax-1")
    assert end.locator(".mr-gutter").inner_text().startswith("+")
    assert "no counterpart in A" in end.locator("td").first.inner_text()
    differing = page.locator("#alignment tr[data-changes]").count()
    assert page.locator(".mr-differing").inner_text().startswith(f"{differing} of 176 rows differ.")


def test_equal_layers_are_folded_until_they_are_asked_for(page: Page) -> None:
    page.goto(f"/{DIFF}")
    shown = page.locator("#alignment tbody tr:visible")
    folded = shown.count()
    assert folded < 50
    run = page.locator(".mr-run button").first
    count = int(re.findall(r"\d+", run.inner_text())[0])
    run.click()
    expect(shown).to_have_count(folded + count)
    expect(run).to_have_attribute("aria-expanded", "true")
    run.click()
    expect(shown).to_have_count(folded)
    page.get_by_label("show equal layers").check()
    expect(shown).to_have_count(176)
    assert "equal=on" in page.url


def test_a_link_to_one_row_opens_what_hides_it(page: Page) -> None:
    page.goto(f"/{DIFF}#a-conv-6")
    link = page.locator("#a-conv-6")
    expect(page.locator(SELECTED)).to_contain_text(link.inner_text())
    assert link.is_visible()
    assert in_window(page, "#a-conv-6")
    other = page.locator("#b-conv-5")
    other.click()
    page.wait_for_url("**#a-conv-*")
    row(page, "b-conv-5").locator(".mr-b .mr-out").click()
    assert page.url.endswith("/ports/caffe/index.html#conv-5")


def in_window(page: Page, selector: str) -> bool:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return 0 <= box["y"] <= page.viewport_size["height"]  # type: ignore[index]


def test_the_rows_are_one_stop_of_the_tab_key(page: Page) -> None:
    page.goto(f"/{DIFF}")
    stops = """(root) => [...document.querySelectorAll(root)].filter((one) =>
      one.tabIndex >= 0 && one.getClientRects().length).length"""
    assert page.evaluate(stops, "#alignment :is(a, button, tr)") == 1
    page.locator("form").get_by_label("Find").fill("layer4")
    assert page.evaluate(stops, "#alignment :is(a, button, tr)") == 1


def test_keys_walk_the_rows_and_their_differences(page: Page) -> None:
    page.goto(f"/{DIFF}")
    names = page.locator(f"{SELECTED} .mr-name").first
    page.keyboard.press("n")
    expect(names).to_contain_text("conv1")
    page.keyboard.press("n")
    expect(names).to_contain_text("maxpool")
    page.keyboard.press("p")
    expect(names).to_contain_text("conv1")
    page.keyboard.press("ArrowDown")
    expect(names).to_contain_text("bn1")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(names).to_contain_text("bn1")
    page.wait_for_url("**#a-batchnormalization-1")
    page.keyboard.press("/")
    page.keyboard.type("downsample")
    page.keyboard.press("Escape")
    expect(page.locator("#alignment tbody tr:visible")).to_have_count(8)
    page.keyboard.press("n")
    page.goto(f"/{DIFF}#a-conv-1")
    page.locator(SELECTED).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/ports/pytorch/index.html#conv-1")


def test_enter_opens_a_run_that_the_arrow_keys_reach(page: Page) -> None:
    page.goto(f"/{DIFF}")
    head = page.locator("tr.mr-run").first
    head.focus()
    folded = int(head.inner_text().split()[1])
    shown = page.locator("#alignment tbody tr:visible")
    before = shown.count()
    page.keyboard.press("Enter")
    expect(shown).to_have_count(before + folded)
    expect(page.locator("tr.mr-run").first).to_be_focused()


def test_buttons_lead_to_the_next_difference_and_a_filter_is_kept_in_the_address(
    page: Page,
) -> None:
    page.goto(f"/{DIFF}")
    page.locator("form").get_by_role("button", name="Next difference").click()
    expect(page.locator(f"{SELECTED} .mr-name").first).to_contain_text("conv1")
    page.locator("[name=change]").select_option("parameters")
    assert page.locator("#alignment tbody tr:visible").count() == 1
    page.reload()
    assert page.locator("#alignment tbody tr:visible").count() == 1
    assert "1 of 176 rows" in page.locator("form output").inner_text()


def test_a_row_lights_up_its_boxes_and_a_box_selects_its_row(page: Page) -> None:
    page.goto(f"/{DIFF}#a-conv-6")
    lit = page.locator(".mr-twins .mr-lit")
    expect(lit).to_have_count(2)
    assert "Bottleneck" in lit.first.text_content()  # type: ignore[operator]
    page.locator(".mr-twin").nth(1).locator("a[data-node='maxpool-1']").click()
    expect(page.locator(SELECTED)).to_contain_text("pool1")
    expect(lit).to_have_count(2)
    assert [one.get_attribute("data-node") for one in lit.all()] == ["maxpool-1", "maxpool-1"]
    label = page.locator(".mr-twin-row")
    assert label.inner_text().startswith("maxpool | pool1 ≠")
    assert in_window(page, ".mr-twin-row")


def test_a_group_opens_in_both_diagrams_with_what_differs_in_it(page: Page) -> None:
    page.goto(f"/{DIFF}")
    a, b = page.locator(".mr-twin").all()
    marked = a.locator("a.mr-marked", has_text="Bottleneck").first
    marked.click()
    for twin in (a, b):
        expect(twin.locator(".mr-path")).to_contain_text("Overview › Bottleneck")
        expect(twin.locator("a.mr-marked.mr-consequence-computes")).to_have_count(2)
    assert a.locator("g.mr-sign").count() >= 2
    b.locator("a[data-node^='conv-']").first.click()
    expect(page.locator(".mr-twins .mr-lit")).to_have_count(2)
    a.locator(".mr-path").get_by_role("button", name="Overview").click()
    for twin in (a, b):
        expect(twin.locator("a", has_text="GlobalAveragePool")).to_have_count(1)


def test_both_diagrams_are_coloured_by_error_on_one_scale(page: Page) -> None:
    page.goto(f"/{DIFF}")
    legend = page.locator(".mr-error-legend")
    expect(legend).to_be_hidden()
    page.get_by_label("Colour by").select_option("error")
    expect(legend).to_be_visible()
    for twin in page.locator(".mr-twin").all():
        pool = twin.locator("a[data-node='maxpool-1']")
        expect(pool).to_have_class(re.compile("mr-heat-6"))
        expect(pool).to_have_attribute("xlink:title", re.compile("error > 1$"))
        expect(twin.locator("a[data-node='conv-1']")).to_have_class(re.compile("mr-heat-0"))
    page.locator(".mr-twin").first.locator("a.mr-heat-6", has_text="Bottleneck").first.click()
    inner = page.locator(".mr-twin").nth(1)
    expect(inner.locator(".mr-path")).to_contain_text("Bottleneck")
    expect(inner.locator("a.mr-heat-6")).to_have_count(1)
    page.reload()
    expect(page.get_by_label("Colour by")).to_have_value("error")
    expect(legend).to_be_visible()
    page.get_by_label("Colour by").select_option("operator")
    expect(page.locator(".mr-twins .mr-heat:not(.mr-heat-legend *)")).to_have_count(0)


def test_a_diagram_is_one_stop_of_the_tab_key_and_arrows_walk_its_boxes(page: Page) -> None:
    page.goto(f"/{DIFF}")
    stop = page.locator(".mr-twin").first.locator("a[tabindex='0']")
    expect(stop).to_have_count(1)
    stop.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(SELECTED)).to_contain_text("bn1")
    page.keyboard.press("ArrowUp")
    expect(stop).to_have_attribute("data-node", "conv-1")


def test_the_diagrams_scroll_and_scale_together(page: Page) -> None:
    page.goto(f"/{DIFF}")
    frames = page.locator(".mr-twins .mr-diagram-frame")
    frames.first.hover()
    page.mouse.wheel(0, 120)
    page.wait_for_function(
        "[...document.querySelectorAll('.mr-twins .mr-diagram-frame')].every(f => f.scrollTop > 50)"
    )
    widths = [svg.bounding_box() for svg in frames.locator("svg").all()]
    page.get_by_role("button", name="Larger").click()
    for before, svg in zip(widths, frames.locator("svg").all(), strict=True):
        after = svg.bounding_box()
        assert before is not None
        assert after is not None
        assert after["width"] == pytest.approx(before["width"] * 1.25, rel=0.02)


OFFSETS = """
() => {
  const [a, b] = document.querySelectorAll(".mr-twins .mr-diagram-frame");
  const { pairs } = JSON.parse(document.querySelector(".mr-twins script").textContent);
  const offset = (frame, node) => {
    const box = frame.querySelector(`a[data-node="${CSS.escape(node)}"]`)?.getBoundingClientRect();
    const outer = frame.getBoundingClientRect();
    return box && box.y + box.height / 2 - outer.y - outer.height / 2;
  };
  return Object.entries(pairs).map(([one, other]) => [offset(a, one), offset(b, other)])
    .filter((both) => both.every((value) => value !== undefined));
}
"""
"""Heights of the groups that are opened together above or below the middle of their frames."""


def test_what_was_matched_stays_level_while_a_diagram_is_panned(page: Page) -> None:
    page.goto(f"/{DIFF}")
    page.get_by_role("button", name="Larger").click()
    page.locator(".mr-twins .mr-diagram-frame").last.hover()
    apart = []
    for _ in range(5):
        page.mouse.wheel(0, 150)
        page.wait_for_timeout(150)
        near = min(page.evaluate(OFFSETS), key=lambda both: abs(both[1]))
        apart.append(abs(near[0] - near[1]))
    assert max(apart) <= 25


def test_without_javascript_all_differences_and_both_marked_overviews_are_there(
    open_tab: OpenTab, address: str
) -> None:
    tab = open_tab(java_script_enabled=False)
    tab.goto(f"{address}/{DIFF}")
    differing = tab.locator("#alignment tr[data-changes]:visible").count()
    assert tab.locator(".mr-differing").inner_text().startswith(f"{differing} of 176 rows")
    assert "equal layers" in tab.locator("#alignment tr.mr-run:visible").first.inner_text()
    assert tab.locator(".mr-twin g.mr-sign").count() > 10
    tab.locator(".mr-twin a", has_text="Bottleneck").first.click()
    assert re.search(r"/ports/pytorch/levels/conv-[^/]+\.svg$", tab.url)


def test_opened_as_a_file_a_group_is_its_own_drawing(open_tab: OpenTab, own_site: Path) -> None:
    tab = open_tab()
    tab.goto(f"{(own_site / DIFF).as_uri()}#a-conv-6")
    expect(tab.locator(SELECTED)).to_have_count(1)
    tab.locator(".mr-twin a", has_text="Bottleneck").first.click()
    tab.wait_for_url("**/ports/pytorch/levels/*.svg")


def test_on_paper_details_stay_closed_and_no_column_is_cut(page: Page) -> None:
    page.goto(f"/{DIFF}")
    page.set_viewport_size({"width": 720, "height": 1000})
    page.emulate_media(media="print")
    page.wait_for_timeout(200)
    assert page.locator(".mr-places details p:visible, .mr-changes details ol:visible").count() == 0
    spare = "(e) => document.documentElement.clientWidth - e.getBoundingClientRect().right"
    assert page.locator("#alignment").evaluate(spare) >= 0


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two long networks that differ in one layer, and the script with all their rows."""
    folder = tmp_path_factory.mktemp("large")
    graphs = activations("Relu"), activations("Tanh")
    diff, templates = compare(*graphs), Templates()
    setting = Setting(names=("a", "b"), rows="rows.js")
    parts = comparison.parts(diff, graphs, setting, templates)
    write(folder, parts["changes"] + parts["alignment"])
    rows = comparison.all_rows(diff, graphs, setting, templates)
    (folder / "rows.js").write_bytes(data_file.script(rows))
    return folder


def activations(middle: str) -> LayerGraph:
    """More activations in a row than a page holds, one of them as given."""
    net = Net((1, 3, 8, 8))
    last = "input-1"
    for number in range(MAX_ROWS + 100):
        last = net.same(middle if number == 300 else "Relu", last)
    return net.graph()


def write(folder: Path, body: str) -> None:
    """A page with the styles and scripts of a site."""
    script = f"<script>{package_data.script()}</script>"
    text = f"<!doctype html><meta charset=utf-8><style>{package_data.style()}</style>{body}{script}"
    (folder / "index.html").write_text(text, "utf-8")


def test_rows_of_a_large_comparison_come_when_they_are_asked_for(
    open_tab: OpenTab, large: Path, serve: Callable[[Path], str]
) -> None:
    tab = open_tab(base_url=serve(large))
    tab.goto("/index.html")
    shown, every = tab.locator("#alignment tbody tr:visible"), tab.locator(".mr-gutter")
    assert every.count() < 10
    tab.locator(".mr-run button").first.click()
    expect(every).to_have_count(MAX_ROWS + 101)
    assert 290 < shown.count() < 310
    tab.goto("/index.html#a-relu-600")
    expect(tab.locator(SELECTED)).to_have_count(1)
    assert tab.locator("#a-relu-600").is_visible()
    tab.goto("/index.html?text=tanh")
    expect(shown).to_have_count(1)


def test_rows_of_a_large_comparison_come_to_a_page_that_was_opened_as_a_file(
    open_tab: OpenTab, large: Path
) -> None:
    tab = open_tab()
    tab.goto((large / "index.html").as_uri())
    tab.get_by_label("show equal layers").check()
    expect(tab.locator(".mr-gutter:visible")).to_have_count(MAX_ROWS + 101)
