"""Times of layers on a port's page in headless Chromium: columns, groups, colours of nodes."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from modeldocs.benchmarks import record

from ..browser import AXE, OpenTab

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

TIMED = "models/alexnet-owt/ports/torch7/index.html"
NESTED = "models/resnet50/ports/pytorch/index.html"
UNTIMED = "models/resnet50/ports/caffe/index.html"
MODELS = Path(__file__).parents[2] / "models"


def column(page: Page, key: str) -> list[str]:
    """The texts of a column of the table of layers."""
    return page.locator("#layers-table").evaluate(
        """(table, key) => {
          const at = [...table.tHead.rows[0].cells].findIndex(cell => cell.dataset.key === key);
          return [...table.tBodies[0].rows].map(row => row.cells[at]?.textContent.trim() ?? "");
        }""",
        key,
    )


def node(page: Page, layer: str) -> Locator:
    return page.locator(f".mr-overview .mr-diagram g:has(> a[*|href='#{layer}'])").first


def colour_by(page: Page, kind: str) -> None:
    page.get_by_label("Colour by").select_option(kind)


def test_times_are_columns_that_add_up_to_the_sums_of_the_log(page: Page) -> None:
    page.goto(f"/{TIMED}")
    table = page.locator("#layers-table")
    expect(table.locator("th[data-key=forward]")).to_be_hidden()
    page.get_by_label("time", exact=True).check()
    expect(table.locator("th[data-key=backward]")).to_be_visible()
    assert "times=on" in page.url
    for key, whole in (("forward", 42.287), ("backward", 86.138)):
        figures = [float(text) for text in column(page, key) if text]
        assert len(figures) == 16
        assert sum(figures) == pytest.approx(whole, abs=0.01)
    assert table.locator("tfoot tr").last.inner_text().split()[-3:] == ["86.138", "99.8", "%"]
    line = page.locator(".mr-timed")
    expect(line).to_contain_text("128.7 ms (forward 42.41 ms, backward 86.27 ms)")
    expect(line).to_contain_text("99.8 % assigned to layers")
    line.get_by_text("Details").click()
    expect(line).to_contain_text("0.2 %, of input, and 242.5 µs in no row")
    line.get_by_role("link").first.click()
    assert re.search(r"alexnet-owt/benchmarks/index\.html#20170609-.*407b11$", page.url)


def test_rows_sort_by_time_and_what_is_shown_is_summed_up(page: Page) -> None:
    page.goto(f"/{TIMED}?times=on&sort=-forward&operator=Conv")
    rows = page.locator("#layers-table tbody tr[id]")
    expect(rows).to_have_count(5)
    expect(rows.nth(0)).to_have_id("conv-2")
    expect(rows.nth(1)).to_have_id("conv-4")
    total = page.locator("#layers-table tfoot .mr-shown")
    expect(total).to_contain_text("33.831")  # 4.6583 + 11.562 + 5.48363 + 7.21521 + 4.91163 ms


def test_a_group_has_the_time_of_its_layers(page: Page) -> None:
    page.goto(f"/{NESTED}?times=on&grouped=on")
    group = page.locator("tr.mr-group", has_text="layer1.0").first
    group.wait_for()
    figures = [float(text) for text in re.findall(r"\d+\.\d{3}\b", group.inner_text())]
    recorded = [
        block.forward_us / 1e3
        for file in record.files(MODELS / "resnet50")
        for block in record.read(file).blocks or ()
        if block.path == "layer1.0"
    ]
    (figure,) = figures
    assert any(figure == pytest.approx(one, abs=0.001) for one in recorded)


def test_a_later_run_of_a_module_leads_to_the_first(page: Page) -> None:
    page.goto(f"/{NESTED}?times=on&text=layer1.0.relu")
    cell = page.locator("#relu-3 a", has_text="in row")
    cell.click()
    expect(page.locator("#relu-2")).to_have_class(re.compile("mr-selected"))


def test_the_diagram_is_coloured_by_time_and_back_by_operator(page: Page) -> None:
    page.goto(f"/{TIMED}")
    before = node(page, "conv-2").evaluate("g => g.outerHTML")
    colour_by(page, "time")
    expect(node(page, "conv-2")).to_have_class("mr-heat mr-heat-5")  # 26.3 % of the step
    expect(node(page, "relu-2")).to_have_class("mr-heat mr-heat-3")  # 1.2 %
    expect(node(page, "relu-7")).to_have_class("mr-heat mr-heat-unknown")
    assert node(page, "relu-7").locator("a").get_attribute("xlink:title") == "2.7: not timed"
    tip = node(page, "conv-2").locator("a").get_attribute("xlink:title") or ""
    assert tip == "1.4: 33.8 ms · 26.3 % · forward 11.6 ms · backward 22.2 ms"
    legend = page.locator(".mr-heat-legend")
    expect(legend).to_contain_text("Share of 129 ms, time of a step (Caffe · NVIDIA GeForce GTX")
    expect(legend).to_contain_text("from 10 %, 12.9 ms")
    colour_by(page, "backward")
    expect(node(page, "conv-1")).to_have_class("mr-heat mr-heat-5")  # 14.4 of 86.3 ms
    colour_by(page, "")
    expect(legend).to_have_count(0)
    assert node(page, "conv-2").evaluate("g => g.outerHTML").replace(' class=""', "") == before
    assert "colour" not in page.url


def test_a_box_without_a_time_of_its_own_says_where_it_is(page: Page) -> None:
    page.goto(f"/{NESTED}?colour=time#level=conv-2..relu-4")
    again = node(page, "relu-3")
    expect(again).to_have_class("mr-heat mr-heat-unknown")
    tip = again.locator("a").get_attribute("xlink:title") or ""
    assert tip.startswith("layer1.0.relu: in row 7, a later run of the same module")


def test_memory_colours_a_port_without_records_and_its_levels(page: Page) -> None:
    page.goto(f"/{UNTIMED}")
    options = page.get_by_label("Colour by").locator("option").all_inner_texts()
    assert options == ["operator", "memory"]
    assert page.get_by_label("time", exact=True).count() == 0
    colour_by(page, "memory")
    assert "colour=memory" in page.url
    page.reload()
    expect(page.get_by_label("Colour by")).to_have_value("memory")
    group = page.locator(".mr-overview g.mr-heat", has_text="layers").first
    expect(group).to_be_visible()
    group.locator("a").click()
    expect(page.locator(".mr-path")).to_be_visible()
    nodes = page.locator(".mr-overview .mr-diagram-frame > svg g.mr-heat")
    expect(nodes.first).to_be_visible()
    titles = nodes.locator("a").evaluate_all(
        "all => all.map(one => one.getAttribute('xlink:title'))"
    )
    assert all(re.search(r": [\d.,]+ [KMG]?i?B · ", title) for title in titles)
    assert "colour=memory" in page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_on_every_colour_can_be_read(open_tab: OpenTab, address: str, scheme: str) -> None:
    tab = open_tab(color_scheme=scheme, base_url=address)
    tab.goto(f"/{TIMED}?colour=time&times=on")
    keys = tab.locator(".mr-heat-legend .mr-heat")
    expect(keys).to_have_count(8)
    ratios = keys.evaluate_all(
        """all => all.map(key => {
          const light = (text) => {
            const linear = text.match(/\\d+/g).slice(0, 3).map(part => part / 255)
              .map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
          };
          const { color, backgroundColor } = getComputedStyle(key);
          return [light(color), light(backgroundColor)];
        })"""
    )
    for ink, fill in ratios:
        assert (max(ink, fill) + 0.05) / (min(ink, fill) + 0.05) >= 4.5
    lightness = [fill for _, fill in ratios[:7]]
    assert lightness == sorted(lightness, reverse=True)
    inks = tab.locator("g.mr-heat").evaluate_all(
        "all => all.map(g => getComputedStyle(g.querySelector('text')).fill)"
    )
    assert set(inks) <= {"rgb(27, 31, 36)", "rgb(255, 255, 255)"}
    tab.add_script_tag(path=str(AXE))
    found = tab.evaluate(
        "axe.run(document.querySelector('article'), {runOnly: ['wcag2a', 'wcag2aa']})"
    )
    grave = [one["id"] for one in found["violations"] if one["impact"] in ("serious", "critical")]
    assert grave == []


def test_a_page_without_times_says_nothing_of_them(own_site: Path) -> None:
    for path in (UNTIMED, "models/lenet/ports/caffe/index.html"):
        text = (own_site / path).read_text()
        assert "mr-timed" not in text and "mr-time" not in text and 'name="times"' not in text


def test_times_are_in_the_table_that_is_offered_as_a_file(own_site: Path) -> None:
    text = ((own_site / TIMED).parent / "layers.csv").read_text()
    rows = {row["id"]: row for row in csv.DictReader(text.splitlines())}
    assert round(float(rows["conv-2"]["forward_us"])) == 11_562
    backward = float(rows["conv-2"]["backward_us"])
    assert round(backward / 1e3, 1) == 22.2
    untimed = ((own_site / UNTIMED).parent / "layers.csv").read_text()
    assert "forward_us" not in untimed
