"""A page of each kind as readers with other eyes and other media meet it: accessibility, print."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, FloatRect, Page

from ..browser import AXE, OpenTab

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

KINDS = (
    "index.html",
    "models/resnet50/index.html",
    "models/mlp-4-hidden/index.html",
    "models/lenet/ports/pytorch/index.html",
    "models/alexnet/ports/caffe/index.html",
    "models/resnet50/diffs/pytorch-vs-caffe/index.html",
    "models/alexnet/benchmarks/index.html",
    "benchmarks/index.html",
    "proofs/index.html",
    "compare/index.html",
    "guide/diff/index.html",
    "schemas/index.html",
)
"""A page of each kind; of models, ports and benchmarks one with much and one with little."""

OF_THE_THEME = [".md-code__nav", ".md-typeset__scrollwrap"]
"""Elements that the theme adds to code and to tables of Markdown."""

OF_COLOUR = ["color-contrast", "link-in-text-block"]
"""Rules whose results depend on the scheme."""

JUDGED = "data-judged"
"""The attribute of texts whose contrast is computed, which takes most of the time of all rules."""

MARK = """(judged) => {
  const own = (one) => { const look = getComputedStyle(one); return [
    one.tagName, one.getAttribute("class"), look.color, look.fill, look.backgroundColor,
    look.backgroundImage, look.opacity, look.fontSize, look.fontWeight, look.textShadow]; };
  const looks = new Map(), seen = new Map();
  const look = (one) => one ? looks.get(one) ?? looks.set(
    one, `${look(one.parentElement)} ${own(one)}`).get(one) : "";
  for (const one of document.querySelectorAll("body, body *")) {
    const count = seen.get(look(one)) ?? 0;
    seen.set(look(one), count + 1);
    one.toggleAttribute(judged, count < 2);
  }
  axe.configure({ rules: [{ id: "color-contrast", selector: `[${judged}]` }] });
}"""
"""Marks two of all elements that are of one class, size and colours, as all around them are."""

FOUND = """async ([rules, exclude]) => (await axe.run({ exclude }, {
  resultTypes: ["violations"], ...(rules && { runOnly: rules }),
})).violations.map(({ id, nodes }) => `${id}: ${nodes.length} × ${nodes[0].html.slice(0, 200)}`)"""

OPEN = """() => document.querySelectorAll("details").forEach((one) => {
  one.removeAttribute("name"); one.open = true; })"""
"""Shows what is folded away; of those that share a name only one could be open."""

BEYOND = """() => [...document.querySelectorAll("article *")].filter((one) => {
  const box = one.getBoundingClientRect();
  return one.checkVisibility() && box.width && box.right > document.documentElement.clientWidth + 2;
}).slice(0, 3).map((one) => one.outerHTML.slice(0, 120))"""
"""What would be cut off at the right edge of the paper."""

CROWDED = """() => [...document.querySelectorAll(".mr-chart svg")].flatMap((chart) => {
  const frame = chart.getBoundingClientRect();
  const texts = [...chart.querySelectorAll("text")].filter((one) => one.textContent.trim());
  const boxes = texts.map((one) => [one.textContent, one.getBoundingClientRect()]);
  const meet = ([, a], [, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  const out = ([, box]) => box.left < frame.left - 1 || box.right > frame.right + 1;
  return boxes.filter((one, place) =>
    out(one) || boxes.slice(0, place).some((other) => meet(one, other))).map(([text]) => text);
})"""
"""Texts of charts that cover one another, or run out of the chart."""

PAPER = 718
"""Pixels between the margins of a sheet of A4."""


@pytest.mark.parametrize(
    ("path", "scheme"),
    [*((path, "light") for path in KINDS), *((path, "dark") for path in KINDS[::2])],
)
def test_nothing_keeps_a_reader_out(
    open_tab: OpenTab, address: str, path: str, scheme: str
) -> None:
    """Wide and narrow; in the dark only colours are others."""
    tab = open_tab(color_scheme=scheme, base_url=address)
    found = {}
    for width in (1440, 390):
        tab.set_viewport_size({"width": width, "height": 900})
        if width == 1440:
            tab.goto(f"/{path}")
            tab.add_script_tag(path=str(AXE))
            tab.evaluate(OPEN)
        tab.evaluate(MARK, JUDGED)
        rules = OF_COLOUR if scheme == "dark" else None
        found[width] = tab.evaluate(FOUND, [rules, OF_THE_THEME])
    assert found == {1440: [], 390: []}


def test_a_text_that_alone_is_pale_is_found(page: Page) -> None:
    page.goto("/benchmarks/index.html")
    page.add_script_tag(path=str(AXE))
    page.locator("article tbody tr").nth(5).locator("td").last.evaluate(
        "one => { one.style.color = '#ddd'; one.textContent = 'pale'; }"
    )
    page.evaluate(MARK, JUDGED)
    (found,) = page.evaluate(FOUND, [["color-contrast"], OF_THE_THEME])
    assert found.startswith("color-contrast: 1 × <td")


def test_print_shows_all_columns(contexts: Callable[..., BrowserContext], address: str) -> None:
    tab = contexts(base_url=address).new_page()
    tab.set_viewport_size({"width": PAPER, "height": 1000})
    tab.emulate_media(media="print")
    beyond = {}
    for path in KINDS:
        tab.goto(f"/{path}")
        tab.evaluate(OPEN)
        beyond[path] = tab.evaluate(BEYOND)
    tab.close()
    assert {path: what for path, what in beyond.items() if what} == {}


@pytest.mark.parametrize(
    "path", [path for path in KINDS if "benchmarks" in path or "ports" in path]
)
def test_no_text_of_a_chart_covers_another_or_runs_out_of_it(page: Page, path: str) -> None:
    page.goto(f"/{path}")
    page.evaluate(OPEN)
    assert page.evaluate(CROWDED) == []


def test_the_tools_of_a_diagram_do_not_cover_each_other_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/models/lenet/ports/pytorch/index.html")
    tools = page.locator(".mr-heat-choice select, .mr-zoom button, .mr-zoom summary")
    boxes = [box for box in (tool.bounding_box() for tool in tools.all()) if box]
    assert len(boxes) > 4
    covering = [
        (one, other)
        for place, one in enumerate(boxes)
        for other in boxes[:place]
        if meet(one, other, "x", "width") and meet(one, other, "y", "height")
    ]
    assert covering == []


def meet(one: FloatRect, other: FloatRect, place: str, length: str) -> bool:
    return one[place] < other[place] + other[length] and other[place] < one[place] + one[length]


def test_the_source_of_a_run_opens_beside_the_table(page: Page) -> None:
    page.goto("/models/alexnet/benchmarks/index.html")
    row = page.locator("#runs-table tbody tr").first
    row.scroll_into_view_if_needed()
    before = row.bounding_box()
    row.locator(".mr-popover-button").click()
    dialog = page.get_by_role("dialog", name="Source of this run")
    assert dialog.is_visible() and "Record as JSON" in dialog.inner_text()
    assert row.bounding_box() == before
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_a_row_under_the_pointer_keeps_the_colours_of_its_verdicts(page: Page) -> None:
    page.goto("/models/resnet50/index.html")
    page.evaluate(OPEN)
    cell = page.locator("#pairs td[class^=mr-verdict-]").first
    colour = "cell => getComputedStyle(cell).backgroundColor"
    before = cell.evaluate(colour)
    cell.hover()
    assert cell.evaluate("cell => cell.matches(':hover')")
    assert (cell.evaluate(colour), before.startswith("rgba(0, 0, 0, 0")) == (before, False)
